import { Value } from 'typebox/value';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { parseJson } from '../src/json.ts';
import { type OutcomeBody, outcomeNames, outcomeSchema } from '../src/outcome-schema.ts';
import { type OutcomeMessage, type OutcomeParse, parseOutcome } from '../src/parse-outcome.ts';
import { schemaExample } from '../src/schema-example.ts';
import { timeZone } from '../src/time-zone.ts';

const nowMs = Date.UTC(2026, 10, 24);
const card = '4111 1111 1111 1111';

function parse(body: unknown, options: { cards?: 'mask' | 'refuse'; zone?: string } = {}): OutcomeParse {
  const json = parseJson(typeof body === 'string' ? body : JSON.stringify(body));
  if (!json.ok) throw new Error(json.error.detail);
  return parseOutcome(json, { cards: options.cards ?? 'mask', zone: timeZone(options.zone ?? 'UTC')!, nowMs });
}

function accepted(body: unknown, options?: Parameters<typeof parse>[1]): Extract<OutcomeParse, { ok: true }> {
  const parsed = parse(body, options);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return parsed;
}

function pointers(body: unknown): readonly string[] {
  const parsed = parse(body);
  return parsed.ok ? [] : parsed.errors.map(({ pointer }) => pointer);
}

const fraud = { channelId: 1, outcome: 'fraud', event: 'evt_1_2' };

describe('outcomeSchema', () => {
  it('describes, with an example, every member that is read', () => {
    expectTypeOf<keyof OutcomeBody>().toEqualTypeOf<keyof OutcomeMessage>();
    for (const [name, member] of Object.entries(outcomeSchema.properties as Record<string, object>)) {
      expect({ name, ...member }).toMatchObject({ description: /\.$/, examples: [expect.anything()] });
    }
    const example = schemaExample(outcomeSchema);
    expect(Value.Check(outcomeSchema, example)).toBe(true);
    expect(accepted(example).message).toEqual({ ...(example as object), loss: '120.5', recovered: '20' });
  });
});

describe('parseOutcome', () => {
  it.each(outcomeNames)('takes %s', (outcome) => {
    const body = { channelId: 1, outcome, webhookId: 'act_a_1_2_3_0' };
    expect(accepted(body)).toMatchObject({ message: body, warnings: [], statedAtMs: undefined });
  });

  it('keeps the text and unknown members, and drops null and "" in optional ones', () => {
    const text = '{"channelId":1, "outcome":"fraud", "event":"evt_1_2", "user":null, "note":"", "ours":{"a":[1]}}';
    const { bodyText, message } = accepted(text);
    expect(bodyText).toBe(text);
    expect(message).toEqual(fraud);
  });

  it('reports all wrong members together', () => {
    expect(
      pointers({
        channelId: 'one',
        outcome: 'lost',
        event: 7,
        timestamp: 'yesterday',
        stage: 'closed',
        loss: -1,
        recovered: '5',
        note: 'x'.repeat(2_001),
      }),
    ).toEqual(['/channelId', '/outcome', '/event', '/timestamp', '/stage', '/loss', '/recovered', '/note']);
    expect(pointers({})).toEqual(['/channelId', '/outcome', '']);
    expect(pointers([])).toEqual(['']);
  });

  it('names the words that it takes', () => {
    const parsed = parse({ ...fraud, outcome: 'Fraud' });
    expect(parsed).toMatchObject({ ok: false, errors: [{ expected: `one of ${outcomeNames.join(', ')}` }] });
  });

  it.each([
    [{}, ''],
    [{ user: 'c1' }, '/reference'],
    [{ reference: 'R-1' }, '/user'],
    [{ user: 'c1', reference: '' }, '/reference'],
  ])('needs an address: %j', (address, pointer) => {
    expect(pointers({ channelId: 1, outcome: 'executed', ...address })).toEqual([pointer]);
  });

  it.each([{ event: 'evt_1_2' }, { user: 'c1', reference: 'R-1' }, { webhookId: 'act_a_1_2_3_0', user: 'c1' }])(
    'takes the address %j',
    (address) => {
      expect(pointers({ channelId: 1, outcome: 'executed', ...address })).toEqual([]);
    },
  );

  it('needs the action of a step-up', () => {
    expect(pointers({ channelId: 1, outcome: 'stepUpPassed', event: 'evt_1_2', user: 'c1', reference: 'R' })).toEqual([
      '/webhookId',
    ]);
  });

  it('takes a stage with a chargeback only', () => {
    expect(pointers({ ...fraud, outcome: 'chargeback', stage: 'won' })).toEqual([]);
    expect(pointers({ ...fraud, stage: 'won' })).toEqual(['/stage']);
  });

  it('rounds amounts half-even to six decimals and folds currencies, with a warning each', () => {
    const { message, warnings, bodyText } = accepted(
      '{"channelId":1,"outcome":"fraud","event":"evt_1_2","loss":3750.2999999999997,"recovered":0.0000005,"currency":" gtq"}',
    );
    expect(message).toMatchObject({ loss: '3750.3', recovered: '0', currency: 'GTQ' });
    expect(warnings.map(({ code }) => code)).toEqual(['amount.rounded', 'amount.rounded', 'currency.folded']);
    expect(JSON.parse(bodyText)).toMatchObject({ loss: 3750.3, currency: 'GTQ' });
  });

  it('keeps the digits of an amount', () => {
    const { message } = accepted(
      '{"channelId":1,"outcome":"fraud","event":"evt_1_2","loss":123456789012345678.123456}',
    );
    expect(message.loss).toBe('123456789012345678.123456');
  });

  it('masks card numbers in free text, and still finds the operation by the reference that was sent', () => {
    const { message, sentReference, bodyText, warnings } = accepted({
      channelId: 1,
      outcome: 'executed',
      user: 'c1',
      reference: card,
      note: `card ${card}`,
    });
    expect(sentReference).toBe(card);
    expect(message.reference).not.toBe(card);
    expect(bodyText).not.toContain(card);
    expect(warnings.map(({ code }) => code)).toEqual(['card.masked', 'card.masked']);
    expect(parse({ ...fraud, note: `card ${card}` }, { cards: 'refuse' })).toMatchObject({
      ok: false,
      errors: [{ pointer: '/note' }],
    });
  });

  it('reads the time in the zone of the workspace, and not one that is to come', () => {
    const at = (timestamp: string, zone?: string) =>
      accepted({ ...fraud, timestamp }, zone === undefined ? {} : { zone });
    expect(at('2026-11-20T10:00:00', 'America/Mexico_City').statedAtMs).toBe(Date.UTC(2026, 10, 20, 16));
    expect(at('2025-01-02T10:00:00Z').statedAtMs).toBe(Date.UTC(2025, 0, 2, 10));
    expect(at('2026-11-24T00:04:00Z')).toMatchObject({ statedAtMs: nowMs + 240_000, warnings: [] });
    expect(at('2026-11-24T00:06:00Z')).toMatchObject({
      statedAtMs: undefined,
      warnings: [{ code: 'timestamp.implausible' }],
    });
    expect(at('2026-11-20')).toMatchObject({ statedAtMs: undefined, warnings: [{ code: 'timestamp.dateAlone' }] });
  });

  it('never repeats a value in an error', () => {
    const secret = 'client-secret-7';
    const parsed = parse({ channelId: secret, outcome: secret, event: [secret], timestamp: secret, loss: secret });
    expect(parsed.ok).toBe(false);
    expect(JSON.stringify(parsed)).not.toContain(secret);
  });
});

/** Outcomes over the management API: reported by tokens and people, and listed with the reason why some match nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/access/tokens/api-tokens.ts';
import { countOpenOutcomes } from '../../src/outcomes/count-open-outcomes.ts';
import { OutcomeMatcher } from '../../src/outcomes/outcome-matcher.ts';
import { loggedIn } from '../access/accounts/support/browser.ts';
import { managementKit, type ManagementKit, payment, problemOf } from './support/management-kit.ts';

interface Listed {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly next?: string;
}

let kit: ManagementKit;
let matcher: OutcomeMatcher;

beforeAll(async () => {
  kit = await managementKit();
  await kit.startHost().ready;
  matcher = new OutcomeMatcher({
    ...kit.deps,
    notifications: kit.home.log.notifications,
    workspaces: () => kit.deps.registry.all(),
    onError: (error) => expect.unreachable(String(error)),
  });
});
afterAll(() => kit.close());

async function token(name: string, scopes: readonly ('outcomes:read' | 'outcomes:write' | 'personal:read')[]) {
  const { pool, now } = kit.deps;
  const of = { name, scopes, workspaces: [kit.workspace.id], days: 1, createdBy: 'test', nowMs: now() };
  return { authorization: `Bearer ${(await createToken(pool, of)).text}` };
}

describe('reporting', () => {
  it('is possible with a token, also what a license key may not report; the audit log has its name', async () => {
    const event = await kit.send('operation', payment('ana'));
    await kit.settled();
    const headers = await token('chargebacks', ['outcomes:write']);
    const body = { channelId: 1, outcome: 'chargeback', event, code: '4837', stage: 'opened', loss: 120.5 };
    const response = await kit.at('POST', 'outcomes', { headers, body });
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { id: expect.stringMatching(/^out_/), status: 'accepted' },
    ]);
    await matcher.round();
    const { id } = response.json<{ id: string }>();
    expect((await kit.get<Listed>(`outcomes?event=${event}`)).items).toMatchObject([
      { id, outcome: 'chargeback', state: 'matched', event, author: 'token:chargebacks' },
    ]);
    const audit = await kit.get<Listed>('audit?action=reportOutcome');
    expect(audit.items[0]).toMatchObject({ actor: 'token:chargebacks', target: id });
    expect(problemOf(await kit.at('GET', 'outcomes', { headers })).code).toBe('right.missing');
  });

  it('again with the same Idempotency-Key is answered as the first time; another body is refused', async () => {
    const headers = { 'idempotency-key': 'case 4711' };
    const body = { channelId: 1, outcome: 'fraud', user: 'eva', reference: 'R-1', loss: 5.1 };
    const first = await kit.at('POST', 'outcomes', { headers, body });
    const again = await kit.at('POST', 'outcomes', {
      headers,
      body: Object.fromEntries(Object.entries(body).toReversed()),
    });
    expect([first.statusCode, first.headers['idempotency-replayed']]).toEqual([200, undefined]);
    expect([again.statusCode, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
    expect(again.json()).toEqual(first.json());
    const other = problemOf(await kit.at('POST', 'outcomes', { headers, body: { ...body, loss: 5.2 } }));
    expect(other).toMatchObject({
      code: 'key.reused',
      detail: 'This Idempotency-Key was used with another body in the last 24 hours.',
    });
    const { rows } = await kit.pool.query(`select 1 from outcome_report where idempotency_key is not null`);
    expect(rows).toHaveLength(1);
    const malformed = await kit.at('POST', 'outcomes', { headers: { 'idempotency-key': 'k'.repeat(256) }, body });
    expect(problemOf(malformed).errors?.map(({ pointer }) => pointer)).toEqual(['/Idempotency-Key']);
  });

  it('needs the right to work on alerts', async () => {
    const body = { channelId: 1, outcome: 'fraud', event: 'evt_1_2' };
    const viewer = await loggedIn(kit, { email: 'viewer@bank.example', roles: ['viewer'] });
    const analyst = await loggedIn(kit, { email: 'analyst@bank.example', roles: ['analyst'] });
    const path = `/workspaces/${kit.workspace.id}/outcomes`;
    expect(problemOf(await viewer.call('POST', path, { body })).code).toBe('right.missing');
    expect((await analyst.call('POST', path, { body })).statusCode).toBe(200);
  });

  it('names wrong and unknown members', async () => {
    const pointers = async (body: object) =>
      problemOf(await kit.at('POST', 'outcomes', { body })).errors?.map(({ pointer }) => pointer);
    expect(await pointers({ outcome: 'fraud' })).toEqual(['/channelId']);
    expect(await pointers({ channelId: 1, outcome: 'maybe', loss: -1 })).toEqual(['/outcome', '/loss', '']);
    expect(await pointers({ channelId: 1, outcome: 'fraud', event: 'evt_1_2', amount: 1 })).toEqual(['/amount']);
  });

  it('keeps the digits of amounts', async () => {
    const body = '{"channelId":1,"outcome":"fraud","user":"eva","reference":"R","loss":123456789012345678.123456}';
    const { id } = (await kit.at('POST', 'outcomes', { body })).json<{ id: string }>();
    const { rows } = await kit.pool.query<{ subject: string }>(`select subject from outcome_report where id = $1`, [
      id,
    ]);
    expect(rows[0]?.subject).toMatch(/^[a-z2-7]{16}$/);
  });
});

describe('the list', () => {
  it('has the unmatched ones with their reason, newest first, in pages', async () => {
    for (const number of [1, 2, 3]) {
      const body = {
        channelId: 1,
        outcome: 'executed',
        webhookId: `act_k3x7q2ma_1_${number}_302_0`,
        user: 'maria-lopez',
      };
      await kit.at('POST', 'outcomes', { body });
    }
    await matcher.round();
    const first = await kit.get<Listed>('outcomes?state=unmatched&limit=2');
    expect(first.items).toMatchObject(
      [3, 2].map((number) => ({
        outcome: 'executed',
        state: 'unmatched',
        reason: 'the action is not of this workspace',
        webhookId: `act_k3x7q2ma_1_${number}_302_0`,
      })),
    );
    const second = await kit.get<Listed>(`outcomes?state=unmatched&limit=2&cursor=${first.next}`);
    expect(second.items[0]).toMatchObject({ webhookId: 'act_k3x7q2ma_1_1_302_0' });
    expect(problemOf(await kit.at('GET', 'outcomes?event=nonsense')).code).toBe('thing.unknown');
  });

  it('has those that are not matched, by reason, which the metrics count', async () => {
    const report = (body: object) => kit.at('POST', 'outcomes', { body: { channelId: 1, outcome: 'refund', ...body } });
    const before = (await countOpenOutcomes(kit.pool)).get(kit.workspace.id);
    await report({ user: 'leo', reference: 'R-not-yet' });
    await report({ event: 'evt_1_999999' });
    await matcher.round();
    const open = await kit.get<Listed>('outcomes?state=open&limit=2');
    expect(open.items).toMatchObject([
      { event: 'evt_1_999999', state: 'unmatched', reasonCode: 'unknownEvent' },
      { user: 'leo', state: 'waiting', reasonCode: 'noOperation' },
    ]);
    const waiting = await kit.get<Listed>('outcomes?reasonCode=noOperation&show=true');
    expect(waiting.items.map(({ reference }) => reference)).toContain('R-not-yet');
    expect(waiting.items.every(({ reasonCode }) => reasonCode === 'noOperation')).toBe(true);
    expect((await countOpenOutcomes(kit.pool)).get(kit.workspace.id)).toEqual({
      waiting: before!.waiting + 1,
      unmatched: before!.unmatched + 1,
    });
  });

  it('masks clients, unless a token has the scope and asks', async () => {
    const shown = async (name: string, scopes: Parameters<typeof token>[1], show: string): Promise<unknown> => {
      const response = await kit.at('GET', `outcomes?reasonCode=foreignAction&limit=1${show}`, {
        headers: await token(name, scopes),
      });
      return response.json<Listed>().items[0]?.['user'];
    };
    expect(await shown('masked', ['outcomes:read'], '')).toBe('ma•••ez');
    expect(await shown('clear', ['outcomes:read', 'personal:read'], '&show=true')).toBe('maria-lopez');
  });
});

/** Reports of outcomes: from their acceptance to one record in the log, whatever comes first or fails in between. */
import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { actionId } from '@ringfence/delivery';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OutcomeMatcher } from '../../src/outcomes/outcome-matcher.ts';
import { parseEventId } from '../../src/records/event-id.ts';
import { open } from '../../src/platform/secrets/seal.ts';
import { clientPlace } from '../../src/tenancy/subjects/client-seal.ts';
import { removeOutcomes } from '../../src/decide/retention/remove-old.ts';
import { eraseClient } from '../../src/tenancy/subjects/erase-client.ts';
import { dayMs, outcomeKit, type OutcomeKit } from './support.ts';

let kit: OutcomeKit;
let matcher: OutcomeMatcher;
/** Clients and references of one test. */
let n = 0;
let client: string;
let reference: string;

beforeAll(async () => {
  kit = await outcomeKit();
  matcher = kit.matcher();
});
beforeEach(() => {
  client = `client-${++n}`;
  reference = `R-${n}`;
});
afterAll(async () => {
  await kit.close();
  if (kit.errors.length > 0) throw new AggregateError(kit.errors, 'a matcher failed');
});

async function decided(ref = reference, of = client): Promise<string> {
  const id = await kit.pay(of, ref);
  await kit.settled();
  return id;
}

/** Stores an action for an event, as the engine would. @returns its id */
async function actionOf(event: string, workspaceId = kit.workspace.id): Promise<string> {
  const { epoch, offset } = parseEventId(event, kit.workspace);
  const id = actionId({ workspaceId, epoch, offset, reason: 302, position: 0 });
  await kit.pool.query(
    `insert into action (id, workspace_id, epoch, "offset", reason, position, action, urgent, channel_id, payload, format,
                         content_hash, state, decided_at, expires_at, lifetime, due_at)
     values ($1, $2, $3, $4, 302, 0, 6, false, 1, '', 'text', '', 'executed', now(), now(), '1 minute', now())`,
    [id, workspaceId, epoch, offset],
  );
  return id;
}

describe('a report', () => {
  it('by event, by user and reference, or by webhookId becomes one record with its event', async () => {
    const event = await decided();
    const webhookId = await actionOf(event);
    const before = (await kit.reports()).length;
    const ids = [
      await kit.report({ outcome: 'executed', event, timestamp: '2026-11-01T10:00:00Z', note: 'by the core' }),
      await kit.report({ outcome: 'fraud', user: client, reference, type: 'mule', loss: 120.5, currency: 'gtq' }),
      await kit.report({ outcome: 'stepUpPassed', webhookId, method: 'passkey' }),
      await kit.report({ outcome: 'executed', webhookId, event, user: client }),
    ];
    await matcher.round();
    for (const id of ids) {
      expect(await kit.outcome(id)).toMatchObject({ state: 'matched', found: parseEventId(event, kit.workspace) });
    }
    const { offset } = parseEventId(event, kit.workspace);
    const reports = (await kit.reports()).slice(before);
    expect(reports.map(({ report, author }) => ({ ...report, author }))).toEqual([
      { outcome: 'executed', author: 'token:test' },
      { outcome: 'fraud', type: 'mule', loss: '120.5', currency: 'GTQ', label: 'fraud', author: 'token:test' },
      {
        outcome: 'stepUpPassed',
        method: 'passkey',
        action: { offset, reason: 302, position: 0 },
        author: 'token:test',
      },
      { outcome: 'executed', action: { offset, reason: 302, position: 0 }, author: 'token:test' },
    ]);
    expect(reports.map(({ event: about }) => about.offset)).toEqual([offset, offset, offset, offset]);
    expect(reports[0]).toMatchObject({ atMs: Date.UTC(2026, 10, 1, 10), note: expect.any(String) });
    await kit.settled();
  });

  it('that comes before its operation is matched once that is decided', async () => {
    const id = await kit.report({ outcome: 'executed', user: client, reference });
    await matcher.round();
    expect(await kit.outcome(id)).toMatchObject({
      state: 'waiting',
      reason: 'this client has no operation with this reference',
    });
    kit.pass(3 * hourMs);
    const event = await decided();
    await matcher.round();
    expect(await kit.outcome(id)).toMatchObject({ state: 'matched', found: parseEventId(event, kit.workspace) });
  });

  it('is matched within seconds after its operation has arrived, however long it has waited', async () => {
    const id = await kit.report({ outcome: 'executed', user: client, reference });
    for (let tries = 0; tries < 10; tries++) {
      await matcher.round();
      kit.pass(hourMs);
    }
    await matcher.round();
    await decided();
    kit.pass(5 * secondMs);
    await matcher.round();
    expect(await kit.outcome(id)).toMatchObject({ state: 'matched' });
  });

  it('is tried after growing pauses', async () => {
    const id = await kit.report({ outcome: 'executed', user: client, reference });
    const pauses: number[] = [];
    for (let tries = 0; tries < 16; tries++) {
      await matcher.round();
      const { rows } = await kit.pool.query<{ next: Date }>(
        `select next_try_at as next from outcome_report where id = $1`,
        [id],
      );
      pauses.push(rows[0]!.next.getTime() - kit.now());
      kit.pass(pauses.at(-1)!);
    }
    expect(pauses.slice(0, 4)).toEqual([250, 500, secondMs, 2 * secondMs]);
    expect(pauses.at(-1)).toBe(hourMs);
  });

  it('without an operation within 24 hours is unmatched, with the reason', async () => {
    const id = await kit.report({ outcome: 'executed', user: client, reference });
    kit.pass(dayMs - 1);
    await matcher.round();
    expect(await kit.outcome(id)).toMatchObject({ state: 'waiting' });
    kit.pass(1);
    await matcher.round();
    expect(await kit.outcome(id)).toMatchObject({
      state: 'unmatched',
      reason: 'none came within 24 hours: this client has no operation with this reference',
    });
    await decided();
    await matcher.round();
    expect(await kit.outcome(id)).toMatchObject({ state: 'unmatched' });
  });

  it('about an event that is in the log and not decided waits, however long that takes', async () => {
    const event = await kit.pay(client, reference);
    const { offset } = parseEventId(event, kit.workspace);
    await kit.settled();
    // As if the engine were behind.
    const row = await kit.pool.query(`delete from event where "offset" = $1 returning status`, [offset]);
    expect(row.rowCount).toBe(1);
    const id = await kit.report({ outcome: 'executed', event });
    kit.pass(2 * dayMs);
    await matcher.round();
    expect(await kit.outcome(id)).toMatchObject({
      state: 'waiting',
      reason: 'the event is known, and not decided yet',
    });
    await kit.pool.query(`update outcome_report set state = 'unmatched' where id = $1`, [id]);
  });

  it.each([
    [
      'several operations',
      async () => {
        await decided();
        kit.pass(secondMs);
        await decided();
        return { outcome: 'executed', user: client, reference };
      },
      'this client has 2 operations with this reference',
    ],
    [
      'an event that does not exist',
      async () => ({ outcome: 'executed', event: 'evt_1_999999' }),
      'there is no such event in this workspace, or it is no longer kept',
    ],
    [
      'an event of the other environment',
      async () => ({ outcome: 'executed', event: 'evt_test_1_2' }),
      'event is not the id of an event of this environment',
    ],
    [
      'an action of another workspace',
      async () => ({ outcome: 'executed', webhookId: 'act_k3x7q2ma_1_2_302_0' }),
      'the action is not of this workspace',
    ],
    [
      'an action that does not exist',
      async () => ({ outcome: 'executed', webhookId: `act_${kit.workspace.id}_1_2_302_0` }),
      'there is no such action in this workspace, or it is no longer kept',
    ],
    ['no action', async () => ({ outcome: 'executed', webhookId: 'act_test' }), 'webhookId is not the id of an action'],
    [
      'an action of another event',
      async () => {
        const webhookId = await actionOf(await decided());
        return { outcome: 'executed', webhookId, event: await decided('other') };
      },
      'webhookId and event name different events',
    ],
    [
      'an event of another client',
      async () => ({ outcome: 'executed', event: await decided(), user: 'somebody else' }),
      'the event is of another client than user',
    ],
  ] as const)('with %s is unmatched at once', async (_, make, reason) => {
    const before = (await kit.reports()).length;
    const id = await kit.report(await make());
    await matcher.round();
    expect(await kit.outcome(id)).toMatchObject({ state: 'unmatched', reason });
    expect(await kit.reports()).toHaveLength(before);
  });

  it('finds one operation by a reference that looks like a card number', async () => {
    const card = '4111111111111111';
    const event = await decided(card);
    const id = await kit.report({ outcome: 'executed', user: client, reference: card });
    await matcher.round();
    expect(await kit.outcome(id)).toMatchObject({ state: 'matched', found: parseEventId(event, kit.workspace) });
  });

  it('is never overtaken by an earlier one that has waited', async () => {
    const first = await kit.report({ outcome: 'chargeback', user: client, reference, code: '4837', stage: 'opened' });
    for (let tries = 0; tries < 12; tries++) {
      await matcher.round();
      kit.pass(tries * minuteMs);
    }
    await matcher.round();
    const event = await decided();
    const before = (await kit.reports()).length;
    const second = await kit.report({ outcome: 'chargeback', event, user: client, code: '4837', stage: 'won' });
    await matcher.round();
    expect([await kit.outcome(first), await kit.outcome(second)]).toMatchObject([
      { state: 'matched' },
      { state: 'matched' },
    ]);
    expect((await kit.reports()).slice(before).map(({ report }) => [report.stage, report.label])).toEqual([
      ['opened', 'fraud'],
      ['won', 'none'],
    ]);
  });
});

describe('exactly one record', () => {
  it('is appended by several matchers', async () => {
    const event = await decided();
    const before = (await kit.reports()).length;
    for (let number = 0; number < 30; number++) await kit.report({ outcome: 'executed', event, note: `${number}` });
    const others = [kit.matcher(), kit.matcher(), kit.matcher()];
    for (let round = 0; round < 5; round++) await Promise.all(others.map((one) => one.round()));
    expect(await kit.reports()).toHaveLength(before + 30);
  });

  it('is appended although two processes match the same row without seeing each other', async () => {
    const event = await decided();
    const id = await kit.report({ outcome: 'executed', event });
    const before = (await kit.reports()).length;
    // The other process appends between this one's look-up and its append.
    const late = kit.matcher({
      log: {
        read: (...of) => kit.log.read(...of),
        appendWith: async (partition, entry, note) => {
          await kit.log.appendWith(partition, entry, async (transaction) => note(transaction));
          return kit.log.appendWith(partition, entry, note);
        },
      },
    });
    await late.round();
    expect(await kit.outcome(id)).toMatchObject({ state: 'matched' });
    expect(await kit.reports()).toHaveLength(before + 1);
  });

  it('is appended after a crash between the acceptance and the match', async () => {
    const event = await decided();
    const id = await kit.report({ outcome: 'executed', event });
    const before = (await kit.reports()).length;
    const crash = new Error('the process ended');
    const crashing = kit.matcher({
      onError: () => {},
      log: {
        read: (...of) => kit.log.read(...of),
        appendWith: (partition, entry, note) =>
          kit.log.appendWith(partition, entry, async (transaction) => {
            await note(transaction);
            throw crash;
          }),
      },
    });
    await crashing.round();
    expect(await kit.reports()).toHaveLength(before);
    expect(await kit.outcome(id)).toMatchObject({ state: 'waiting' });
    kit.pass(secondMs);
    await kit.matcher().round();
    expect(await kit.reports()).toHaveLength(before + 1);
    expect(await kit.outcome(id)).toMatchObject({ state: 'matched' });
  });

  it('is appended soon after the report, by a matcher that runs', async () => {
    const event = await decided();
    const running = kit.matcher();
    running.start();
    const id = await kit.report({ outcome: 'executed', event });
    await expect.poll(async () => (await kit.outcome(id)).state).toBe('matched');
    await running.stop();
  });
});

describe('an Idempotency-Key', () => {
  const key = (text: string, fingerprint = 'a') => ({
    idempotency: { key: Buffer.from(text), fingerprint: Buffer.from(fingerprint) },
  });

  it('answers the first id for 24 hours, and refuses another body', async () => {
    const body = { outcome: 'executed', user: client, reference };
    const first = await kit.report(body, key(client));
    expect(await kit.report(body, key(client))).toBe(first);
    await expect(kit.report(body, key(client, 'b'))).rejects.toMatchObject({ code: 'key.reused' });
    kit.pass(dayMs);
    const second = await kit.report(body, key(client, 'b'));
    expect(second).not.toBe(first);
  });

  it('stores one report when it is sent twice at the same time', async () => {
    const body = { outcome: 'executed', user: client, reference };
    const ids = await Promise.all(Array.from({ length: 5 }, () => kit.report(body, key(client))));
    expect(new Set(ids).size).toBe(1);
  });
});

describe('the erasure of a client', () => {
  it('makes its reports unreadable, and the waiting ones unmatched', async () => {
    const event = await decided();
    const byEvent = await kit.report({ outcome: 'executed', event, note: 'she called' });
    await matcher.round();
    const waiting = await kit.report({ outcome: 'executed', user: client, reference: 'to come', note: 'she called' });
    const { rows } = await kit.pool.query<{ id: string; body: Buffer; subject: string }>(
      `select id, body, subject from outcome_report where id = any ($1)`,
      [[byEvent, waiting]],
    );
    expect(new Set(rows.map(({ subject }) => subject)).size).toBe(1);
    for (const { id, body, subject } of rows) {
      const place = clientPlace('outcome', { workspaceId: kit.workspace.id, subject }, id);
      expect(() => open(kit.workspace.secrets.data, body, place)).toThrow('cannot be decrypted');
    }
    await eraseClient({ log: kit.log, subjects: kit.subjects }, kit.workspace, client);
    kit.pass(secondMs);
    await matcher.round();
    expect(await kit.outcome(byEvent)).toMatchObject({ state: 'matched', message: undefined });
    expect(await kit.outcome(waiting)).toMatchObject({
      state: 'unmatched',
      reason: 'the client was erased',
      message: undefined,
    });
    const late = await kit.report({ outcome: 'executed', event, note: 'too late' });
    expect(await kit.outcome(late)).toMatchObject({ state: 'unmatched', reason: 'the client was erased' });
    const stored = await kit.pool.query(`select 1 from outcome_report where id = $1 and body is null`, [late]);
    expect(stored.rowCount).toBe(1);
  });
});

describe('retention', () => {
  it('removes reports with the events', async () => {
    const old = await kit.report({ outcome: 'executed', user: client, reference });
    kit.pass(10 * dayMs);
    const recent = await kit.report({ outcome: 'executed', user: client, reference });
    const turn = { workspaceId: kit.workspace.id, stop: new AbortController().signal };
    await removeOutcomes(kit.pool, turn, kit.now() - 5 * dayMs);
    expect(await kit.outcome(old)).toBeUndefined();
    expect(await kit.outcome(recent)).toMatchObject({ outcome: 'executed' });
  });
});

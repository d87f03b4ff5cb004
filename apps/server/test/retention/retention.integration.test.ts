/** What is older than it is kept goes, what is younger stays, and the engine does not notice. */
import { dayMs, type EpochMs, hourMs, minuteMs } from '@ringfence/contract';
import { parseCidr, PostgresOutbox } from '@ringfence/delivery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PolicyCache } from '../../src/workspaces/policy-cache.ts';
import { decideThen } from '../../src/inquiries/decide-then.ts';
import { verifyLog } from '../../src/replay/verify-log.ts';
import { BaseMovedError } from '../../src/host/base-rows.ts';
import { readKeptSince, readRetentionAge } from '../../src/retention/kept-since.ts';
import { LogBase } from '../../src/retention/log-base.ts';
import { marksBetween } from '../../src/retention/marks.ts';
import type { AgedOut } from '../../src/operations/metrics.ts';
import { Retention, type RetentionDeps } from '../../src/retention/retention.ts';
import { whenAlone, whileAllIsKept } from '../../src/retention/retention-lock.ts';
import { eraseClient } from '../../src/subjects/erase-client.ts';
import { applyPolicy } from '../../src/workspaces/policy-store.ts';
import { readWorkspace, updateWorkspace } from '../../src/workspaces/workspace-store.ts';
import { makeScene, type Scene } from '../host/support.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';

const beginMs = Date.UTC(2026, 0, 1);
const rangeRecords = 16;
const calm = `
rules:
  - { reason: 1, name: large, on: [operation], when: order.amount > 1000, then: { action: 2 } }
`;

let clockMs: number;
let home: Installation;
let scene: Scene;
let outbox: PostgresOutbox;
let removed: Map<AgedOut, number>;
let purges: number;
let renewals: [workspaceId: string, keptForMs: number][];

beforeEach(async () => {
  clockMs = beginMs;
  home = await makeInstallation();
  scene = await makeScene(home, { now, rangeRecords });
  outbox = new PostgresOutbox(scene.pool);
  removed = new Map();
  purges = 0;
  renewals = [];
  await keep({ keepEvents: '30d', keepActions: '60d' });
});
afterEach(async () => {
  await scene.close();
  await home.close();
});

function now(): EpochMs {
  return clockMs as EpochMs;
}

async function keep(settings: object): Promise<void> {
  const deps = { ...home.deps, log: scene.log, allowPrivateWebhooks: [parseCidr('127.0.0.0/8')!] };
  await updateWorkspace(deps, scene.workspace.id, { settings, actor: 'api' });
}

async function retention(wait: RetentionDeps['wait'] = async () => {}): Promise<Retention> {
  const { pool, log, subjects, workspace, logged } = scene;
  const present = await readWorkspace(home.deps, workspace.id);
  const note = (level: string) => (fields: object, message: string) => logged.push({ level, fields, message });
  return new Retention({
    pool,
    log,
    outbox,
    refused: { purge: async () => void (purges += 1) },
    policies: new PolicyCache(pool),
    makeSubjects: () => subjects,
    workspaces: () => [present],
    renewDeviceKey: async (workspaceId, keptForMs) => {
      renewals.push([workspaceId, keptForMs]);
      return true;
    },
    now,
    wait,
    logger: { info: note('info'), warn: note('warn'), error: note('error') },
    removed: (what, count) => removed.set(what, (removed.get(what) ?? 0) + count),
  });
}

async function round(): Promise<string> {
  return (await retention()).round(new AbortController().signal);
}

/** A login and six payments within seconds: rule 301 closes the session. */
async function burst(client: string): Promise<void> {
  await scene.send('login', { channelId: 1, user: client, session: client, publicIp: '203.0.113.7', data: 'd' });
  for (let i = 0; i < 6; i++) {
    await scene.send('operation', {
      channelId: 1,
      timestamp: new Date(clockMs).toISOString(),
      account: { client, session: client },
      order: { amount: 10 + i, currency: 'MXN' },
      accountTo: { bank: 'B1', accountNumber: client },
    });
  }
}

/** A process that starts, decides all there is, and stops with a last checkpoint. */
async function decide(): Promise<void> {
  const host = scene.startHost();
  await host.ready;
  await scene.settled();
  await host.stop();
}

/** Ends what is due and tells the engine, as the dispatcher does. */
async function endActions(): Promise<void> {
  const { outcomes } = await outbox.tidy(clockMs);
  await outbox.outcomesAppended(outcomes);
}

/** `days` with a burst of the clients on every tenth, and a round of retention after it. */
async function live(days: number, clients = ['ana']): Promise<void> {
  const endMs = clockMs + days * dayMs;
  while (clockMs < endMs) {
    for (const client of clients) await burst(client);
    await decide();
    clockMs += 2 * hourMs; // beyond the actions' lifetime
    await endActions();
    await round();
    clockMs += 10 * dayMs - 2 * hourMs;
  }
}

async function eventDays(): Promise<readonly number[]> {
  const found = await scene.pool.query<{ at: Date }>(
    `select distinct logged_at as at from event where workspace_id = $1 order by 1`,
    [scene.workspace.id],
  );
  return found.rows.map(({ at }) => (at.getTime() - beginMs) / dayMs);
}

async function actionDays(): Promise<readonly number[]> {
  const found = await outbox.list({ workspaceId: scene.workspace.id }, 200);
  return found.map(({ decidedAtMs }) => (decidedAtMs - beginMs) / dayMs).toReversed();
}

async function count(table: string): Promise<number> {
  const found = await scene.pool.query<{ count: number }>(`select count(*)::integer as count from ${table}`);
  return found.rows[0]!.count;
}

async function digest(): Promise<string> {
  const found = await scene.pool.query<{ digest: Buffer }>(`select digest from engine_position`);
  return found.rows[0]!.digest.toString('hex');
}

function verified() {
  const { pool, log, subjects, workspace } = scene;
  return verifyLog({ pool, log, subjects, policies: new PolicyCache(pool) }, workspace, () => {});
}

describe('a hundred days', () => {
  it('leave thirty of events with their records and sixty of actions', async () => {
    await live(100);
    // Of a range of the log that is not full yet, what is less than a day too old may stay.
    expect(await eventDays()).toEqual([60, 70, 80, 90]);
    expect(await round()).toBe('done');
    expect(await eventDays()).toEqual([70, 80, 90]);
    expect(await actionDays()).toEqual([40, 50, 60, 70, 80, 90]);
    expect(await count('attempt')).toBe(0);
    expect(removed).toEqual(
      new Map([
        ['records', expect.any(Number)],
        ['events', 7 * 7],
        ['actions', 4],
        ['keys', 10 * 7],
      ]),
    );
    const { start, end } = await scene.log.head(scene.workspace.id);
    expect(removed.get('records')).toBe(start);
    const [oldest] = await scene.log.read(scene.workspace.id, 0, 1);
    expect(oldest).toMatchObject({ offset: start });
    expect(await count('log_record')).toBe(end - start);
    const tables = await scene.pool.query(`select 1 from pg_inherits where inhparent = 'log_block'::regclass`);
    expect(tables.rowCount).toBe(Math.ceil(end / rangeRecords) - Math.floor(start / rangeRecords));
    expect(await readKeptSince(scene, scene.workspace.id)).toEqual({
      eventsMs: expect.closeTo(beginMs + 70 * dayMs, -8),
      actionsMs: beginMs + 40 * dayMs,
    });
    expect(scene.logged).toContainEqual(
      expect.objectContaining({
        level: 'info',
        message: 'removed what is older than it is kept',
        fields: expect.objectContaining({ actions: 1, keepEvents: '30d', keepActions: '60d' }),
      }),
    );
    expect(scene.logged.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('are not noticed by the engine: the kept log gives the same decisions again', async () => {
    await live(100, ['ana', 'eva']);
    await burst('ana');
    await decide();
    const found = await verified();
    expect(found).toMatchObject({
      verdict: 'partly',
      withoutRow: 0,
      differences: { unexplained: 0, afterGap: 0 },
      gaps: [{ kind: 'dropped', from: 0, reason: 'older than events are kept' }],
    });
    expect(found.digest.replayed).toBe(found.digest.recorded);
    expect(found.gaps[0]!.to).toBeGreaterThan(0);
    expect(await count('irreproducible_range')).toBe(0);
  });

  it('leave every event that is kept decidable again as of then, on what went before the base', async () => {
    await live(100, ['ana', 'eva']);
    await burst('ana');
    await decide();
    const { workspace } = scene;
    const kept = await scene.pool.query<{ offset: number; fired: readonly number[] }>(
      `select "offset", fired from event where workspace_id = $1 order by "offset" desc limit 8`,
      [workspace.id],
    );
    expect(kept.rows.some(({ fired }) => fired.length > 0)).toBe(true);
    for (const { offset, fired } of kept.rows) {
      const then = await decideThen(scene, { workspace, asked: { offset } }, () => {});
      expect(then.differences).toEqual([]);
      expect(then.unfired.some(({ reason }) => fired.includes(reason))).toBe(false);
    }
  });

  it('can be decided on from the base alone, when the checkpoint is lost', async () => {
    await live(100);
    const before = await digest();
    await scene.pool.query('delete from checkpoint');
    await scene.pool.query('delete from entity_state');
    await decide();
    expect(await digest()).toBe(before);
    expect(await count('irreproducible_range')).toBe(0);
    expect(await count('checkpoint')).toBe(1);
    // Control: with another base the same decisions do not come out.
    await scene.pool.query('delete from checkpoint');
    await scene.pool.query('delete from base_entity');
    await decide();
    expect(await count('irreproducible_range')).toBe(1);
  });
});

describe('what is told beside events', () => {
  it('goes with the records that it became, and not before it is one', async () => {
    const { id } = scene.workspace;
    const tell = (count: number, daysAgo: number, appended = true) =>
      scene.pool.query(
        `insert into directive (workspace_id, kind, payload, author, comment, made_at, appended)
         select $1, 'list', '', 'mara', '', $2, $3 from generate_series(1, $4::integer)`,
        [id, new Date(clockMs - daysAgo * dayMs), appended, count],
      );
    const suppress = (name: string, daysAgo: number) =>
      scene.pool.query(
        `insert into suppression (workspace_id, id, reason, subject, until, why, author, made_at) values ($1, $2, 1, 'x', $3, '', '', $3)`,
        [id, name, new Date(clockMs - daysAgo * dayMs)],
      );
    await tell(1_500, 40);
    await tell(1, 40, false);
    await tell(1, 20);
    await suppress('long over', 40);
    await suppress('over', 20);
    await suppress('in force', -20);
    expect(await round()).toBe('done');
    const left = await scene.pool.query(`select appended from directive order by id`);
    expect(left.rows).toEqual([{ appended: false }, { appended: true }]);
    expect((await scene.pool.query(`select id from suppression order by id`)).rows).toEqual([
      { id: 'in force' },
      { id: 'over' },
    ]);
    await keep({ keepEvents: 'forever' });
    clockMs += 400 * dayMs;
    await round();
    expect([await count('directive'), await count('suppression')]).toEqual([2, 2]);
  });

  it('of an alert that nobody closes: its events, once they are gone', async () => {
    const put = (alert: string, state: string, firstOffset: number) =>
      scene.pool.query(
        `insert into alert (workspace_id, id, state, rank, risk, decisions, reasons, first_offset, last_offset, opened_at, last_at, outcome, closed_at)
         values ($1, $2, $3, 1, 1, 1, '{1}', $4, 1000000, now(), now(), $5, $6)`,
        [scene.workspace.id, alert, state, firstOffset, ...(state === 'open' ? [null, null] : ['fraud', new Date()])],
      );
    await put('alr_aaaaaaaaaaaa', 'open', 0);
    await put('alr_bbbbbbbbbbbb', 'open', 999_999);
    await put('alr_cccccccccccc', 'closed', 0);
    await scene.pool.query(
      `insert into alert_event (workspace_id, alert_id, "offset")
       select workspace_id, id, n from alert, (values (0), (1), (999999), (1000000)) o(n) where n >= first_offset`,
    );
    await live(100);
    const left = await scene.pool.query<{ id: string; offsets: readonly number[] }>(
      `select alert_id as id, array_agg("offset"::integer order by "offset") as offsets from alert_event group by 1 order by 1`,
    );
    expect(left.rows).toEqual([
      { id: 'alr_aaaaaaaaaaaa', offsets: [999_999, 1_000_000] },
      { id: 'alr_bbbbbbbbbbbb', offsets: [999_999, 1_000_000] },
      { id: 'alr_cccccccccccc', offsets: [0, 1, 999_999, 1_000_000] },
    ]);
    expect(await count('alert')).toBe(3);
  });
});

describe('what is never removed', () => {
  it('is an action that is still to be sent, or held', async () => {
    await burst('ana');
    await burst('eva');
    await decide();
    const [due, held] = (await outbox.list({ workspaceId: scene.workspace.id }, 10)).toReversed();
    const far = `expires_at = now() + interval '100 years'`;
    await scene.pool.query(`update action set ${far} where id = $1`, [due!.id]);
    await scene.pool.query(`update action set ${far}, state = 'held' where id = $1`, [held!.id]);
    clockMs += 400 * dayMs;
    await endActions();
    await round();
    const states = (await outbox.list({ workspaceId: scene.workspace.id }, 10)).map(({ id, state }) => [id, state]);
    expect(states).toEqual([
      [held!.id, 'held'],
      [due!.id, 'due'],
    ]);
  });

  it('is anything, when it is kept for ever', async () => {
    await keep({ keepEvents: 'forever', keepActions: 'forever' });
    await live(60);
    clockMs += 4_000 * dayMs;
    expect(await round()).toBe('done');
    expect(await eventDays()).toHaveLength(6);
    expect(await actionDays()).toHaveLength(6);
    expect(await scene.log.head(scene.workspace.id)).toMatchObject({ start: 0 });
  });

  it('is what the engine has not decided', async () => {
    await burst('ana');
    clockMs += 400 * dayMs;
    await round();
    clockMs += 400 * dayMs;
    await round();
    expect(await scene.log.head(scene.workspace.id)).toMatchObject({ start: 0 });
    await decide();
    expect(await actionDays()).toEqual([0]);
  });
});

describe('a log that fell silent', () => {
  it('is removed to its end, and goes on', async () => {
    await live(20);
    clockMs += 60 * dayMs;
    expect(await round()).toBe('done');
    const { start, end } = await scene.log.head(scene.workspace.id);
    expect(start).toBe(end);
    expect(await count('event')).toBe(0);
    await burst('ana');
    await decide();
    expect(await eventDays()).toEqual([80]);
    expect(await verified()).toMatchObject({ verdict: 'partly', differences: { unexplained: 0, afterGap: 0 } });
  });
});

describe('an erased client', () => {
  it('is not in what the base keeps, and the range that it leaves is named', async () => {
    await live(60, ['ana', 'eva']);
    const subject = (await scene.subjects.find(scene.workspace, 'ana'))!;
    const ofAna = async (): Promise<number> =>
      (await scene.pool.query(`select 1 from base_entity where subject = $1`, [subject])).rowCount!;
    expect(await ofAna()).toBeGreaterThan(0);
    await eraseClient(scene, scene.workspace, 'ana');
    expect(await ofAna()).toBe(0);
    await live(60, ['eva']);
    expect(await ofAna()).toBe(0);
    const ranges = await scene.pool.query<{ reason: string }>(`select reason from irreproducible_range`);
    expect(ranges.rows.map(({ reason }) => reason)).toEqual(['events of clients that were erased since']);
    expect(await eventDays()).toEqual([90, 100, 110]);
  });

  it('is found no more by what its events named, from the next round on', async () => {
    for (const client of ['ana', 'eva']) await burst(client);
    await decide();
    await eraseClient(scene, scene.workspace, 'ana');
    const found = async (): Promise<readonly object[]> =>
      (
        await scene.pool.query<object>(
          `select count(*)::integer as events, count(payee)::integer as payees, count(amount)::integer as amounts,
                  count(ip)::integer as addresses from event_entity`,
        )
      ).rows;
    const ofBoth = { events: 14, payees: 12, amounts: 12, addresses: 2 };
    expect(await round()).toBe('done');
    expect(await found()).toEqual([ofBoth]); // a batch of decisions may still be on its way
    await scene.pool.query(`update erasure set erased_at = erased_at - interval '2 minutes'`);
    expect(await round()).toBe('done');
    const ofEva = { events: 14, payees: 6, amounts: 6, addresses: 1 };
    expect(await found()).toEqual([ofEva]);
    await eraseClient(scene, scene.workspace, 'eva');
    await scene.pool.query(`update erasure set erased_at = erased_at - interval '2 minutes'`);
    await round();
    expect(await found()).toEqual([{ ...ofEva, payees: 0, amounts: 0, addresses: 0 }]);
  });

  it('is taken out of what waits at the base', async () => {
    await keep({ sessionGraceSeconds: 60 });
    await scene.send('operation', {
      channelId: 1,
      timestamp: new Date(clockMs).toISOString(),
      account: { client: 'ana', session: 'never opened' },
    });
    await decide();
    await round(); // the mark stands where the operation waits
    clockMs += 31 * dayMs;
    await round();
    const waiting = async (): Promise<number> =>
      (await scene.pool.query<{ length: number }>(`select length(state) as length from log_base`)).rows[0]!.length;
    const before = await waiting();
    await eraseClient(scene, scene.workspace, 'ana');
    await round();
    expect(await waiting()).toBeLessThan(before);
  });
});

describe('a round', () => {
  it('is made by one process at a time, and never while somebody reads the whole log', async () => {
    await burst('ana');
    await decide();
    await whileAllIsKept(scene.pool, async () => {
      expect(await round()).toBe('elsewhere');
    });
    expect(purges).toBe(0);
    expect(await round()).toBe('done');
    expect(purges).toBe(1);
  });

  it('lets nobody wait for longer than a person does', async () => {
    await whenAlone(scene.pool, async () => {
      const reading = whileAllIsKept(scene.pool, () => Promise.resolve('read'), 0);
      await expect(reading).rejects.toMatchObject({ code: 'rate.limited' });
    });
    expect(await whileAllIsKept(scene.pool, () => Promise.resolve('read'), 0)).toBe('read');
  });

  it('is tried again within minutes after somebody read, so that readers who follow each other do not keep it away', async () => {
    const waits: number[] = [];
    const stop = new AbortController();
    const goneBy = Promise.withResolvers<void>();
    const reading = whileAllIsKept(scene.pool, () => goneBy.promise);
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms);
      if (waits.length === 3) goneBy.resolve();
      if (waits.length === 3) await reading;
      if (waits.length === 4) stop.abort();
    };
    await (await retention(wait)).run(stop.signal);
    expect(waits.slice(1, 3).every((ms) => ms <= 5 * minuteMs)).toBe(true);
    expect(waits.at(-1)).toBe(hourMs); // it was made
    expect(purges).toBe(1);
  });

  it('moves no base that another process has moved meanwhile', async () => {
    await live(40);
    const { pool, log, subjects, workspace, logged } = scene;
    const logger = {
      info: () => {},
      warn: () => {},
      error: (fields: object) => void logged.push({ level: 'error', fields, message: '' }),
    };
    const present = await readWorkspace(home.deps, workspace.id);
    const base = await LogBase.open({ pool, log, subjects, policies: new PolicyCache(pool), logger }, present);
    const to = (await marksBetween(pool, workspace.id, { after: base.nextOffset, to: Number.MAX_SAFE_INTEGER })).at(
      -1,
    )!;
    const entities = `select encode(key, 'hex') as key, state from base_entity order by key`;
    const before = await pool.query(entities);
    await pool.query(`update log_base set next_offset = next_offset + 1`);
    await expect(base.moveTo(to, Infinity, new AbortController().signal)).rejects.toThrow(BaseMovedError);
    expect((await pool.query(entities)).rows).toEqual(before.rows);
  });

  it('stops when it is told to, and the next one goes on', async () => {
    await live(20);
    clockMs += 60 * dayMs;
    const stopped = new AbortController();
    stopped.abort();
    expect(await (await retention()).round(stopped.signal)).toBe('more');
    expect(await eventDays()).not.toEqual([]);
    expect(await round()).toBe('done');
    expect(await eventDays()).toEqual([]);
  });

  it('renews the key of device tokens where their time is set', async () => {
    await round();
    await keep({ keepDeviceTokens: 'forever' });
    await round();
    expect(renewals).toEqual([]);
    await keep({ keepDeviceTokens: '14d' });
    await round();
    expect(renewals).toEqual([[scene.workspace.id, 14 * dayMs]]);
  });

  it('says when everything was last in order', async () => {
    await burst('ana');
    await decide();
    await round();
    clockMs += minuteMs;
    expect(await readRetentionAge(scene.pool, clockMs)).toBe(minuteMs);
  });

  it('puts a record aside on which the engine fails three times, and comes over it', async () => {
    const payload = Buffer.from('not sealed at all, and long enough');
    await scene.log.append(scene.workspace.id, { kind: 'login', payload });
    await burst('ana');
    await decide();
    await scene.pool.query('delete from quarantine'); // as if the engine of then had not failed on it
    await round();
    clockMs += 31 * dayMs;
    for (let fails = 0; fails < 3; fails++) await round();
    expect(await readRetentionAge(scene.pool, clockMs)).toBe(31 * dayMs);
    expect(await count('event')).toBe(8);
    expect(await round()).toBe('done');
    clockMs += dayMs;
    await round();
    expect(await count('event')).toBe(0);
    expect(await count('quarantine')).toBe(0);
  });
});

it('does not stop at a policy version that this release refuses: the one in force is taken for it', async () => {
  await live(20);
  const wanted = { files: [{ path: 'rules.yaml', text: calm }], author: 'ana', comment: '', actor: 'api' } as const;
  const { version } = await applyPolicy({ ...home.deps, log: scene.log }, scene.workspace.id, wanted);
  await live(20);
  const wrong = JSON.stringify([{ path: 'rules.yaml', text: calm.replace('order.amount', 'order.amout') }]);
  await scene.pool.query(`update policy_version set files = $1 where version <> $2`, [wrong, version]);
  clockMs += 60 * dayMs;
  await round();
  expect(await round()).toBe('done');
  expect(await eventDays()).toEqual([]);
  expect(scene.logged.filter(({ level }) => level === 'error')).toEqual([]);
  const noted = await scene.pool.query<{ reason: string }>(`select distinct reason from irreproducible_range`);
  expect(noted.rows).toEqual([{ reason: expect.stringContaining('does not check any more') }]);
});

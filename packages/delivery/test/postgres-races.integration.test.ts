import { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  executed,
  failed,
  inOneSession,
  newAction,
  otherWorkspaceId,
  startMs,
  workspaceId,
} from '../conformance/action-fixture.ts';
import type { LeasedAction } from '../src/action.ts';
import { type Completion, leaseMs } from '../src/outbox.ts';
import { PostgresOutbox } from '../src/postgres-outbox.ts';
import { sweptSessionsMax } from '../src/postgres/advance-sessions.ts';
import { deliverySteps } from '../src/schema.ts';
import { freshDatabase } from './support/postgres.ts';

let pool: Pool;
let outbox: PostgresOutbox;

beforeAll(async () => {
  pool = new Pool({ ...(await freshDatabase()).config, max: 8 });
  await pool.query(deliverySteps.join(''));
  outbox = new PostgresOutbox(pool);
});
beforeEach(() => pool.query('truncate action, attempt, endpoint, delivery_pause'));
afterAll(() => pool.end());

const withoutHealth = (completion: Completion): Completion => ({ ...completion, health: undefined });

describe('a process that returns after its lease was lost', () => {
  const rounds = 500;

  /** Both complete at the same time, one action after the other; returns the accepted completions. */
  async function race(zombieEnds: (zombie: LeasedAction) => Completion): Promise<readonly Completion[]> {
    await outbox.insert(Array.from({ length: rounds }, (_, offset) => newAction(offset)));
    const places = [{ workspaceId, urgent: 0, ordinary: rounds }];
    const zombies = await outbox.lease(places, startMs);
    const heirs = await outbox.lease(places, startMs + leaseMs);
    expect([zombies.length, heirs.length]).toEqual([rounds, rounds]);
    const accepted: Completion[] = [];
    for (let round = 0; round < rounds; round++) {
      const [zombie, heir] = [zombies[round], heirs[round]];
      if (zombie === undefined || heir === undefined) throw new Error('a lease is missing');
      const done = await Promise.all([
        outbox.complete([zombieEnds(zombie)], startMs + leaseMs),
        outbox.complete([executed(heir)], startMs + leaseMs),
      ]);
      accepted.push(...done.flatMap((one) => one.accepted));
    }
    return accepted;
  }

  async function attempts(): Promise<number> {
    const { rows } = await pool.query<{ count: number }>('select count(*)::integer as count from attempt');
    return rows[0]!.count;
  }

  it('completes nothing, in 500 rounds against the process that took over', async () => {
    const accepted = await race((zombie) => withoutHealth(failed(zombie, startMs + leaseMs)));
    expect(accepted).toHaveLength(rounds);
    expect(accepted.every(({ token }) => token === 2)).toBe(true);
    expect(await attempts()).toBe(rounds);
  });

  it('and the process that took over record one execution, in 500 rounds', async () => {
    expect(await race(executed)).toHaveLength(rounds);
    expect(await attempts()).toBe(rounds);
  });
});

describe('a process that folds attempts at two endpoints into their breakers', () => {
  const [first, second] = ['a', 'b'];

  /** Locks their rows one after the other, as breakers are written, while `other` runs. */
  async function foldsBeside(other: () => Promise<unknown>): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query(`select 1 from endpoint where workspace_id = $1 for update`, [first]);
      let isDone = false;
      const done = other().finally(() => (isDone = true));
      done.catch(() => {}); // awaited below
      await vi.waitFor(async () => expect(isDone || (await waiting()) > 0).toBe(true), { timeout: 5_000 });
      await client.query(`select 1 from endpoint where workspace_id = $1 for update`, [second]);
      await client.query('commit');
      await done;
    } finally {
      client.release(true);
    }
  }

  async function waiting(): Promise<number> {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]?.count ?? 0;
  }

  it('does not deadlock with one that sets their targets', async () => {
    await pool.query(`insert into endpoint (workspace_id) values ($1), ($2)`, [first, second]);
    await foldsBeside(() => outbox.setTargets([second, first].map((id) => ({ workspaceId: id, target: 'another' }))));
    const { rows } = await pool.query(`select workspace_id from endpoint where target = 'another' order by 1`);
    expect(rows).toHaveLength(2);
  });

  it('is not blocked by one that sets unchanged targets', async () => {
    const targets = [first, second].map((id) => ({ workspaceId: id, target: 'as it is' }));
    await outbox.setTargets(targets);
    const client = await pool.connect();
    try {
      await client.query('begin; select 1 from endpoint for update');
      await expect(outbox.setTargets(targets)).resolves.toBeUndefined();
    } finally {
      client.release(true);
    }
  });

  it('does not deadlock with one that probes them', async () => {
    // Physically the rows are in the opposite order of their names.
    await pool.query(
      `insert into endpoint (workspace_id, state, opened_at, probe_at)
       select id, 'open', to_timestamp(0), to_timestamp(0) from unnest($1::text[]) as u (id)`,
      [[second, first]],
    );
    await outbox.insert([first, second].map((id, offset) => ({ ...newAction(offset), workspaceId: id })));
    const probes: string[] = [];
    const probe = async (): Promise<void> => {
      const leased = await outbox.leaseProbes([first, second], startMs);
      probes.push(...leased.map(({ workspaceId: id }) => id));
    };
    await foldsBeside(probe);
    await probe();
    expect(probes.toSorted()).toEqual([first, second]);
  });
});

describe('a database that fails right after a commit', () => {
  it('keeps the completion; the next tidy makes the next action due', async () => {
    await outbox.insert(inOneSession([0, 1]));
    const places = [{ workspaceId, urgent: 0, ordinary: 2 }];
    const [first] = await outbox.lease(places, startMs);
    const query = vi.spyOn(pool, 'query').mockRejectedValueOnce(new Error('the database is away'));
    const { accepted } = await outbox.complete([executed(first!)], startMs);
    expect([accepted.length, query.mock.calls.length]).toEqual([1, 1]);
    query.mockRestore();
    expect(await outbox.lease(places, startMs)).toEqual([]);
    await outbox.tidy(startMs);
    expect(await outbox.lease(places, startMs)).toMatchObject([{ id: newAction(1).id }]);
  });
});

describe('many waiting sessions behind one endpoint', () => {
  it('does not block lost turns of other workspaces: the next sweep continues where the last one ended', async () => {
    const others = Array.from({ length: sweptSessionsMax + 1 }, (_, session) => Buffer.from(`session ${session}`));
    for (let from = 0; from < others.length; from += 1_000) {
      await outbox.insert(
        others.slice(from, from + 1_000).flatMap((sessionIndex, place) => {
          const offset = 2 * (from + place);
          return [newAction(offset, { sessionIndex }), newAction(offset + 1, { sessionIndex })];
        }),
      );
    }
    await outbox.insert(inOneSession([0, 1], { workspaceId: otherWorkspaceId }));
    // Its first attempt is over, but the next action was not made due.
    await pool.query(`update action set attempts = 1 where workspace_id = $1 and "offset" = 0`, [otherWorkspaceId]);
    const waiting = async (): Promise<number> =>
      (await outbox.list({ workspaceId: otherWorkspaceId, states: ['waiting'] }, 10)).length;
    await outbox.tidy(startMs);
    await outbox.tidy(startMs);
    expect(await waiting()).toBe(0);
    // Then from the beginning again.
    await pool.query(`update action set attempts = 1 where workspace_id = $1 and "offset" = 0`, [workspaceId]);
    await outbox.tidy(startMs);
    expect(await outbox.find(workspaceId, newAction(1).id)).toMatchObject({ state: 'due' });
  });
});

describe('the order of sessions', () => {
  const sessions = 1_000;
  const perSession = 10;

  /** A process that leases, fails a third of the first attempts, and completes, until all first attempts are made. */
  async function work(firsts: { begun: string[]; ended: Set<string> }, violations: string[]): Promise<void> {
    for (let idle = 0; firsts.ended.size < sessions * perSession && idle < 2_000;) {
      const leases = await outbox.lease([{ workspaceId, urgent: 0, ordinary: 40 }], startMs);
      idle = leases.length === 0 ? idle + 1 : 0;
      const first = leases.filter(({ attempts }) => attempts === 0);
      for (const { offset, id } of first) {
        const before = offset % perSession === 0 ? undefined : newAction(offset - 1).id;
        if (before !== undefined && !firsts.ended.has(before)) violations.push(id);
        firsts.begun.push(id);
      }
      await pool.query('select 1'); // the request is in progress while others lease
      for (const { id } of first) firsts.ended.add(id);
      await outbox.complete(leases.map(ended).map(withoutHealth), startMs);
      if (leases.length === 0) await outbox.tidy(startMs);
    }
  }

  const ended = (lease: LeasedAction): Completion =>
    lease.offset % 3 === 0 && lease.attempts === 0 ? failed(lease, startMs + 5_000) : executed(lease);

  it('has no inversion: 1,000 sessions of 10 actions, four processes, inserted while they are sent', async () => {
    const firsts = { begun: [] as string[], ended: new Set<string>() };
    const violations: string[] = [];
    // Ten consecutive offsets are one session, so that its actions are queued next to each other.
    const writing = async (): Promise<void> => {
      for (let offset = 0; offset < sessions * perSession; offset += 250) {
        await outbox.insert(
          Array.from({ length: 250 }, (_, index) =>
            newAction(offset + index, { sessionIndex: Buffer.from(`s${Math.floor((offset + index) / perSession)}`) }),
          ),
        );
      }
    };
    await Promise.all([writing(), ...[1, 2, 3, 4].map(() => work(firsts, violations))]);
    expect(violations).toEqual([]);
    expect(firsts.begun).toHaveLength(sessions * perSession);
    expect(new Set(firsts.begun).size).toBe(sessions * perSession);
  });
});

describe('an action made due by another process meanwhile', () => {
  it('causes no deadlock: rows are locked in log order, leased or not', async () => {
    // The first action of three sessions waits; two of them become due and are leased while the sweep waits for the
    // third.
    const waiting = [0, 1, 2].map((offset) => newAction(offset, { sessionIndex: Buffer.from(`s${offset}`) }));
    await outbox.insert(waiting);
    await pool.query(`update action set state = 'waiting'`);
    const [first, second, third] = waiting.map(({ id }) => id);
    const held = await holding(first!);
    const swept = outbox.tidy(startMs);
    await waitForBlocked();
    const leases: LeasedAction[] = [];
    for (const id of [third, second]) {
      await pool.query(`update action set state = 'due' where id = $1`, [id]);
      leases.push(...(await outbox.lease([{ workspaceId, urgent: 0, ordinary: 1 }], startMs)));
    }
    expect(leases.map(({ id }) => id)).toEqual([third, second]);
    const heldToo = await holding(second!);
    await held();
    // The sweep now waits for the second. If the third were completed first, the two would deadlock.
    const completed = outbox.complete(leases.map(executed).map(withoutHealth), startMs);
    await waitForBlocked(2);
    await heldToo();
    expect((await completed).accepted).toHaveLength(2);
    await swept;
    expect(await outbox.lease([{ workspaceId, urgent: 0, ordinary: 2 }], startMs)).toHaveLength(1);
  });

  /** Locks an action; the returned function releases it. */
  async function holding(id: string): Promise<() => Promise<void>> {
    const client = await pool.connect();
    await client.query('begin');
    await client.query('select 1 from action where id = $1 for update', [id]);
    return async () => {
      await client.query('commit');
      client.release();
    };
  }
});

async function waitForBlocked(count = 1): Promise<void> {
  for (let blocked = 0; blocked < count;) {
    const { rows } = await pool.query<{ blocked: number }>(
      `select count(*)::integer as blocked from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    );
    blocked = rows[0]?.blocked ?? 0;
  }
}

describe('an action that a person redelivers', () => {
  it('is waited for while its outcome is being reported', async () => {
    await outbox.insert([newAction(1)]);
    const leases = await outbox.lease([{ workspaceId, urgent: 0, ordinary: 1 }], startMs);
    await outbox.complete(
      leases.map((lease) => ({ ...executed(lease), next: { state: 'notExecuted' } as const })),
      startMs,
    );
    const reporter = await pool.connect();
    await reporter.query('begin');
    await reporter.query('update action set outcome = null, outcome_claimed = null');
    const sentAgain = outbox.redeliver({ workspaceId, ids: [newAction(1).id] }, startMs);
    await waitForBlocked();
    await reporter.query('commit');
    reporter.release();
    expect(await sentAgain).toBe(1);
  });
});

describe('the cost of a lease', () => {
  /** Pages read by a statement of the outbox, as counted by the database. */
  async function pagesOf(nowMs: number): Promise<number> {
    const read = async (): Promise<number> => {
      // A connection publishes its counts when it is idle, or on request: request it from all of them together.
      await Promise.all(
        Array.from({ length: 7 }, () => pool.query('select pg_stat_force_next_flush(), pg_sleep(0.02)')),
      );
      const { rows } = await pool.query<{ pages: string }>(
        `select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read) as pages
           from pg_statio_user_tables where relname = 'action'`,
      );
      return Number(rows[0]?.pages);
    };
    const before = await read();
    await outbox.lease([{ workspaceId, urgent: 4, ordinary: 4 }], nowMs);
    return (await read()) - before;
  }

  it('does not grow with 200,000 finished and 10,000 waiting actions', async () => {
    await outbox.insert([1, 2, 3, 4].map((offset) => newAction(offset)));
    await pool.query('vacuum analyze action');
    const alone = await pagesOf(startMs);
    await pool.query(
      `insert into action (id, workspace_id, epoch, "offset", reason, position, action, urgent, session_index, channel_id,
                           payload, format, content_hash, state, decided_at, expires_at, lifetime, due_at)
       select 'old_' || n, $1, 1, n, 1, 0, 6, false, decode(md5((n % 50)::text), 'hex'), 1, '\\x00', 'text', '\\x00',
              case when n > 200000 then 'waiting' else 'executed' end,
              to_timestamp($2 / 1000.0), to_timestamp($2 / 1000.0) + interval '1 day', interval '1 day',
              to_timestamp($2 / 1000.0)
         from generate_series(1, 210000) n`,
      [workspaceId, startMs],
    );
    await pool.query('vacuum analyze action');
    await outbox.insert([5, 6, 7, 8].map((offset) => newAction(offset)));
    const among = await pagesOf(startMs + leaseMs - 1);
    expect(among).toBeLessThan(2 * alone + 50);
  });
});

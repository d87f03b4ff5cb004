/**
 * A statement keeps running in the database when its connection is lost. Meanwhile the next run of the engine begins
 * and decides the same records: only one of the two batches may be written.
 */
import { EventRanges } from '../../src/records/event-ranges/event-ranges.ts';
import type { EpochMs } from '@ringfence/contract';
import type { Pool, PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Batch,
  type EventRow,
  PositionMovedError,
  RecordsLostError,
  writeBatch,
} from '../../src/decide/batch-writer.ts';
import { takePartition } from '../../src/decide/ownership.ts';
import { earlierLivesEnded, readFound } from '../../src/decide/partition-records.ts';
import { OwnerConnection } from '../../src/decide/owner-connection.ts';
import { verifyLog } from '../../src/backtest/replay/verify-log.ts';
import { sessionRef } from '../../src/records/live-status.ts';
import { PolicyCache } from '../../src/policies/policy-cache.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene } from './support.ts';

let home: Installation;
let scene: Scene;

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  // Made already: a new range would wait for the locks of these tests, and not the batch.
  await new EventRanges(scene.workspace.id).make(scene.pool, [0]);
});
afterEach(async () => {
  await scene.close();
  await home.close();
});

/** Breaks a connection like a network failure: the server does not notice, and keeps running the statement. */
function breakOff(client: PoolClient): void {
  (
    client as PoolClient & { readonly connection: { readonly stream: { destroy(): void } } }
  ).connection.stream.destroy();
}

/** Number of batches that wait for a lock. */
async function waitingBatches(): Promise<number> {
  const found = await scene.pool.query(
    `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'with moved as%'`,
  );
  return found.rowCount!;
}

/** Runs `work` while holding a lock. */
async function whileLocked(lock: string, work: () => Promise<void>): Promise<void> {
  const client = await home.anotherPool().connect();
  try {
    await client.query(`begin; set local idle_in_transaction_session_timeout = 0`);
    await client.query(lock);
    await work();
    await client.query('commit');
  } finally {
    client.release();
  }
}

describe('a batch whose connection was lost while its statement ran', () => {
  /** Blocks the batch before it reaches the position: the next run does not see it. */
  const beforeThePosition = 'lock table event in access exclusive mode';

  it('is written, or the next run writes the same records, and the service continues', async () => {
    const pool = home.anotherPool();
    const open = new Set<PoolClient>();
    pool.on('connect', (client) => open.add(client));
    await logIn('ana');
    scene.startHost({ pool });
    await scene.settled();

    await whileLocked(beforeThePosition, async () => {
      await logIn('eva');
      await expect.poll(waitingBatches).toBe(1);
      for (const client of open) breakOff(client);
      await expect.poll(waitingBatches).toBe(2);
    });
    await scene.settled();
    expect(await seenLogins()).toBe(2);

    await logIn('ivan');
    await scene.settled();
    expect(await seenLogins()).toBe(3);
    const counted = await scene.pool.query(`select status, count(*)::integer as count from event group by 1`);
    expect(counted.rows).toEqual([{ status: 'decided', count: 3 }]);
    const { log, subjects } = scene;
    const policies = new PolicyCache(scene.pool);
    const verified = await verifyLog({ pool: scene.pool, log, subjects, policies }, scene.workspace, () => {});
    expect(verified).toMatchObject({ verdict: 'same', gaps: [] });
  });

  it('takes the batches with it that were stepped meanwhile: they are decided again', async () => {
    const pool = home.anotherPool();
    const open = new Set<PoolClient>();
    pool.on('connect', (client) => open.add(client));
    const host = scene.startHost({ pool });
    await scene.settled();

    await whileLocked(beforeThePosition, async () => {
      await logIn('ana');
      await expect.poll(waitingBatches).toBe(1);
      await logIn('eva');
      // The engine is ahead of what is written.
      await expect.poll(() => hasSession(host, 'eva')).toBe(true);
      expect(await waitingBatches()).toBe(1);
      for (const client of open) breakOff(client);
      await expect.poll(waitingBatches).toBe(2);
    });
    await scene.settled();
    await logIn('ivan');
    await scene.settled();
    expect(await seenLogins()).toBe(3);
    const { log, subjects } = scene;
    const policies = new PolicyCache(scene.pool);
    const verified = await verifyLog({ pool: scene.pool, log, subjects, policies }, scene.workspace, () => {});
    expect(verified).toMatchObject({ verdict: 'same', gaps: [] });
  });

  it('is awaited by the next run when it has already moved the position', async () => {
    const pool = home.anotherPool();
    const open = new Set<PoolClient>();
    pool.on('connect', (client) => open.add(client));
    scene.startHost({ pool });
    await scene.settled();
    // The position is moved when the events are written.
    await scene.pool.query(
      `create function wait_for_us() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock(4711); return new; end $$;
       create trigger wait_for_us before insert on event for each row execute function wait_for_us()`,
    );
    await whileLocked('select pg_advisory_xact_lock(4711)', async () => {
      await logIn('eva');
      await expect.poll(waitingBatches).toBe(1);
      for (const client of open) breakOff(client);
      const nextLife = `select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%from engine_position%for update'`;
      await expect.poll(async () => (await scene.pool.query(nextLife)).rowCount).toBe(1);
    });
    await scene.settled();
    await logIn('ivan');
    await scene.settled();
    expect(await seenLogins()).toBe(2);
    expect(scene.logged.filter(({ message }) => message === startsAgain)).toHaveLength(1);
  });
});

describe('two batches from one position', () => {
  it.each([
    ['one statement', []],
    ['several statements', ['B1']],
  ])('with %s: one is written, the other fails because the position has moved', async (_, banks) => {
    const owner = new OwnerConnection(home.connection);
    await owner.open();
    const ownership = (await owner.alone((client) => takePartition(client, scene.workspace, 'test')))!;
    const pool = home.anotherPool();
    const { position } = await readFound(pool, scene.workspace.id);
    const batch = batchFrom(position.nextOffset, banks);
    const fence = { ...ownership, fromOffset: position.nextOffset, ranges: new EventRanges(scene.workspace.id) };
    const results: PromiseSettledResult<void>[] = [];
    // Else one of them may wait until the other, which asked for the range in its transaction, has ended.
    await fence.ranges.make(pool, [position.nextOffset]);

    await whileLocked('lock table event in access exclusive mode', async () => {
      const both = [write(pool, fence, batch), write(pool, fence, batch)];
      void Promise.allSettled(both).then((settled) => results.push(...settled));
      await expect.poll(waitingBatches).toBe(2);
      await earlierLivesEnded(pool, ownership);
    });
    await expect.poll(() => results.length).toBe(2);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = results.find((result) => result.status === 'rejected');
    expect(refused?.reason).toBeInstanceOf(PositionMovedError);
    expect(await seenLogins()).toBe(1);
    expect((await readFound(pool, scene.workspace.id)).position.nextOffset).toBe(position.nextOffset + 1);
    await owner.end();
  });
});

describe('a batch of records that were handed over', () => {
  it('is written only where the log has them, appended in the same epoch', async () => {
    await logIn('ana');
    const owner = new OwnerConnection(home.connection);
    await owner.open();
    const ownership = (await owner.alone((client) => takePartition(client, scene.workspace, 'test')))!;
    const pool = home.anotherPool();
    const { position } = await readFound(pool, scene.workspace.id);
    const { epoch, end } = await scene.log.head(scene.workspace.id);
    const from = { ...ownership, fromOffset: position.nextOffset, ranges: new EventRanges(scene.workspace.id) };

    const batch = batchFrom(position.nextOffset, []);
    const upTo = (nextOffset: number): Batch => ({ ...batch, position: { ...batch.position, nextOffset } });
    await expect(write(pool, { ...from, handedInEpoch: epoch - 1 }, upTo(end))).rejects.toThrow(RecordsLostError);
    await expect(write(pool, { ...from, handedInEpoch: epoch }, upTo(end + 1))).rejects.toThrow(RecordsLostError);
    expect(await seenLogins()).toBe(0);

    await write(pool, { ...from, handedInEpoch: epoch }, upTo(end));
    expect(await seenLogins()).toBe(1);
    await owner.end();
  });
});

const startsAgain = 'the engine host restarts from its checkpoint';

/** A login from an address with a known country, which is counted in addition to the event. */
async function logIn(user: string): Promise<void> {
  await scene.send('login', { channelId: 1, user, session: `s-${user}`, publicIp: '8.8.8.8', data: 'blob' });
}

/** Whether the engine has stepped the login of the user. */
async function hasSession(host: ReturnType<Scene['startHost']>, user: string): Promise<boolean> {
  const { workspace, subjects } = scene;
  const subject = await subjects.find(workspace, user);
  const session = sessionRef(workspace.secrets.index, `s-${user}`);
  const answers = await host.liveStatus(workspace.id, [{ number: 1, subject: subject!, session, channelId: 1 }]);
  return answers?.[0]?.active === true;
}

/** Number of logins counted by country. */
async function seenLogins(): Promise<number> {
  const found = await scene.pool.query<{ count: number }>(
    `select coalesce(sum(count), 0)::integer as count from console_seen where name = 'country'`,
  );
  return found.rows[0]!.count;
}

async function write(pool: Pool, ...given: [fence: Parameters<typeof writeBatch>[1], batch: Batch]): Promise<void> {
  const client = await pool.connect();
  try {
    await writeBatch(client, ...given);
  } finally {
    client.release();
  }
}

/** A batch with one decided login. */
function batchFrom(offset: number, banks: readonly string[]): Batch {
  const login: EventRow = {
    record: { offset, logTimeMs: Date.now() as EpochMs, subject: undefined },
    epoch: 1,
    eventKind: 'login',
    sessionIndex: undefined,
    channelId: 1,
    status: 'decided',
    decision: undefined,
    detail: undefined,
    foundBy: undefined,
  };
  return {
    position: { nextOffset: offset + 1, decided: 1, digest: Buffer.alloc(32, 1) },
    events: [login],
    late: [],
    actions: [],
    labels: [],
    reports: [],
    holds: [],
    index: { loginCounts: [{ offset, atMs: 0, name: 'country', key: 'US', count: 1 }], banks },
  };
}

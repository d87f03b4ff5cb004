/** A workspace whose log has bytes in a record store, moved to a database that has all of them. */
import type { EpochMs } from '@ringfence/contract';
import { countPlacedBlocks, PostgresLog, type RecordStore } from '@ringfence/log';
import { MemoryRecordStore } from '@ringfence/log/memory-store';
import { afterAll, describe, expect, it } from 'vitest';
import { patience } from '../../../../../tools/testing/patience.ts';
import { claimCell, claimHome } from '../../../src/tenancy/cells/claim-database.ts';
import { type MoveOptions, type MoveStep, moveWorkspace } from '../../../src/tenancy/move/move-workspace.ts';
import { createWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';

const long = { timeout: patience.timeout };
const open: Installation[] = [];
const logs: PostgresLog[] = [];

afterAll(async () => {
  for (const one of [...logs, ...open]) await one.close();
});

function logOf({ connection, pool }: Installation, store: RecordStore | undefined): PostgresLog {
  const records = store === undefined ? {} : { records: { store, writes: true } };
  const log = new PostgresLog({ connection, pool, clock: () => Date.now() as EpochMs, ...records });
  logs.push(log);
  return log;
}

async function recordsOf(log: PostgresLog, id: string): Promise<readonly string[]> {
  const records: string[] = [];
  const { start, end } = await log.head(id);
  for (let at = start; at < end;) {
    const some = await log.read(id, at, 1_000);
    records.push(...some.map((record) => JSON.stringify({ ...record, payload: [...record.payload] })));
    at += some.length;
  }
  return records;
}

/** Records of different sizes, in blocks of several. */
async function appendTo(log: PostgresLog, id: string, count: number): Promise<void> {
  const one = (n: number) => ({ kind: 'tick', payload: new Uint8Array(1 + ((n * 997) % 3_000)).fill(n) }) as const;
  await Promise.all(Array.from({ length: count }, (_, n) => log.append(id, one(n))));
}

async function pair(): Promise<{ readonly home: Installation; readonly north: Installation }> {
  const home = await makeInstallation();
  const north = await makeInstallation(undefined, home.master);
  open.push(home, north);
  await claimHome(home.pool);
  await claimCell(north.pool, { name: 'north', home: home.pool });
  return { home, north };
}

describe('a workspace with bytes in a record store', () => {
  it('has every record in the other database, whatever the move was killed at', long, async () => {
    const { home, north } = await pair();
    const { workspace } = await createWorkspace(home.deps, { name: 'bank', environment: 'production' });
    const { id } = workspace;
    const store = new MemoryRecordStore({ partitions: 2 });
    const log = logOf(home, store);
    await appendTo(home.log, id, 50);
    for (let i = 0; i < 20; i++) await appendTo(log, id, 40);
    await appendTo(home.log, id, 10);
    const placed = (await countPlacedBlocks(home.pool)).get(id)?.records;
    expect(placed).toBe(800);

    const from = { name: 'home', connection: home.connection };
    const to = { name: 'north', connection: north.connection };
    const options: MoveOptions = { workspace, home: from, from, to, records: store };
    const seen = new Set<MoveStep>();
    const move = (isKilled: boolean): Promise<unknown> =>
      moveWorkspace({
        ...options,
        onProgress: async ({ step }) => {
          if (seen.has(step)) return;
          seen.add(step);
          if (['copying', 'catching up', 'comparing', 'letting go'].includes(step)) await appendTo(log, id, 60);
          if (isKilled) throw new Error(`killed at ${step}`);
        },
      });
    for (const step of ['preparing', 'copying', 'catching up', 'comparing', 'letting go', 'closed', 'copied']) {
      await expect(move(true)).rejects.toThrow(`killed at ${step}`);
    }
    const before = await recordsOf(log, id);
    expect((await countPlacedBlocks(home.pool)).get(id)?.records).toBe(800 + 4 * 60);
    await move(false);

    // Without a store: every byte is in PostgreSQL.
    const there = logOf(north, undefined);
    expect(await recordsOf(there, id)).toEqual(before);
    expect(await countPlacedBlocks(north.pool)).toEqual(new Map());
    expect((await countPlacedBlocks(home.pool)).get(id)).toBeUndefined();
    await appendTo(there, id, 3);
    expect(await recordsOf(there, id)).toHaveLength(before.length + 3);
  });

  it('stays where it is while its bytes cannot be read', long, async () => {
    const { home, north } = await pair();
    const { workspace } = await createWorkspace(home.deps, { name: 'bank', environment: 'production' });
    const store = new MemoryRecordStore({ partitions: 2 });
    const log = logOf(home, store);
    await appendTo(log, workspace.id, 10);
    const from = { name: 'home', connection: home.connection };
    const options = { workspace, home: from, from, to: { name: 'north', connection: north.connection } };
    // The configuration of this command names no topic.
    await expect(moveWorkspace(options)).rejects.toThrow('in a store that this process does not have');
    const before = await recordsOf(log, workspace.id);
    await appendTo(log, workspace.id, 1);
    expect(await recordsOf(log, workspace.id)).toHaveLength(before.length + 1);
    await moveWorkspace({ ...options, records: store });
    expect(await recordsOf(logOf(north, undefined), workspace.id)).toHaveLength(before.length + 1);
  });
});

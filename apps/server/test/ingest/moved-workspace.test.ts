import { MemoryLog } from '@ringfence/log/memory';
import type { EpochMs } from '@ringfence/contract';
import { expect, it } from 'vitest';
import type { IngestCell, IngestDeps } from '../../src/ingest/ingest-deps.ts';
import { doorKit, type DoorKit, MemorySubjects, startMs } from './support/door-kit.ts';
import { noLag } from './support/no-lag.ts';
import { noStatus } from './support/no-status.ts';

const login = { channelId: 1, user: 'ana', session: 's-1', publicIp: '203.0.113.7', data: '' };

/** The same workspace in another database. */
function otherDatabase(): { readonly log: MemoryLog; readonly cell: IngestCell } {
  const log = new MemoryLog({ clock: () => startMs as EpochMs });
  const cell: IngestCell = {
    registry: { authenticate: () => undefined },
    subjects: new MemorySubjects(log),
    log,
    acceptOutcome: () => Promise.resolve({ id: `out_${'b'.repeat(16)}`, isReplay: false, warnings: [] }),
    refused: { note: () => {} },
    logHealth: { stored: () => {}, refused: () => {} },
    decisions: { wait: () => Promise.resolve({ kind: 'pending', waited: false }), close: () => {} },
    lag: noLag,
    status: noStatus,
  };
  return { log, cell };
}

it('a request waits while its workspace moves, and is stored once in the next database', async () => {
  const { log, cell } = otherDatabase();
  let looks = 0;
  let kit: DoorKit;
  const findMoved: IngestDeps['findMoved'] = async (id) => {
    expect(id).toBe(kit.workspace.id);
    return ++looks < 3 ? undefined : { workspace: kit.workspace, cell };
  };
  kit = await doorKit({ deps: { findMoved } });
  await log.createPartition(kit.workspace.id);
  kit.log.closePartition(kit.workspace.id);
  const response = await kit.post('login', login);
  expect(response.statusCode).toBe(200);
  expect(looks).toBe(3);
  expect(await log.head(kit.workspace.id)).toMatchObject({ end: 1 });
  expect(await kit.log.head(kit.workspace.id)).toMatchObject({ end: 0 });
});

it('a request is answered 503 when the move takes too long, and the log counts as well', async () => {
  const unwell: string[] = [];
  const logHealth = { stored: () => {}, refused: (id: string) => void unwell.push(id) };
  const kit = await doorKit({ deps: { findMoved: async () => undefined, limits: { movingMs: 120 }, logHealth } });
  kit.log.closePartition(kit.workspace.id);
  const response = await kit.post('login', login);
  expect(response.statusCode).toBe(503);
  expect(response.headers['retry-after']).toBe('1');
  expect(response.json()).toMatchObject({ code: 'log.unavailable' });
  expect(unwell).toEqual([]);
});

it('a key is compared with those of every database, and is not wrong while one is not open', async () => {
  const { log, cell } = otherDatabase();
  let isWhole = true;
  const further: IngestCell[] = [];
  const kit = await doorKit({
    deps: { registry: { authenticate: () => undefined }, further: () => further, isWhole: () => isWhole },
  });
  expect((await kit.post('login', login)).statusCode).toBe(401);
  isWhole = false;
  expect((await kit.post('login', login)).statusCode).toBe(503);
  isWhole = true;
  await log.createPartition(kit.workspace.id);
  further.push({ ...cell, registry: { authenticate: () => ({ workspace: kit.workspace, keyId: 'key' }) } });
  expect((await kit.post('login', login)).statusCode).toBe(200);
  expect(await log.head(kit.workspace.id)).toMatchObject({ end: 1 });
});

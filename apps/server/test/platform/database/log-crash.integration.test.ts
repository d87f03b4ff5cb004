import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EpochMs } from '@ringfence/contract';
import { type LogEntry, logSteps, PostgresLog } from '@ringfence/log';
import { Client, Pool } from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../src/platform/database/database-log.ts';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded-postgres.ts';
import { startOwnServer } from './support/own-server.ts';

const server = await startOwnServer();
const connection = { ...server.postgres.connectionConfig };
const pool = new Pool({ ...connection, max: 4 });
pool.on('error', () => {});
await pool.query(logSteps.join(''));
afterAll(async () => {
  await pool.end();
  await server.remove();
});

const now = (): EpochMs => Date.now() as EpochMs;

describe('the log, when its server is killed with -9 under load,', () => {
  /** Three kills are the short form; the crash suite does hundreds, of the whole service, and measures the time. */
  const kills = 3;
  const callers = 16;

  it('has every acknowledged entry at its offset without gaps, and recovers', async () => {
    const log = new PostgresLog({ connection, pool, clock: now });
    await log.createPartition('load');
    const acknowledged = new Map<number, string>();
    const stop = new AbortController();
    const caller = async (name: number): Promise<void> => {
      for (let count = 0; !stop.signal.aborted; count += 1) {
        const content = `${String(name)}-${String(count)}`;
        const appended = await log
          .append('load', { kind: 'operation', payload: Buffer.from(content) })
          .catch(() => undefined);
        if (appended?.kind === 'appended') acknowledged.set(appended.offset, content);
      }
    };
    const calling = Promise.all(Array.from({ length: callers }, (_, name) => caller(name)));
    for (let kill = 0; kill < kills; kill += 1) {
      const before = acknowledged.size;
      await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 200);
      await server.kill();
    }
    stop.abort();
    await calling;

    const kept = new Map<number, string>();
    const { end } = await log.head('load');
    for (let next = 0; next < end;) {
      const records = await log.read('load', next, 10_000);
      for (const { offset, payload } of records) kept.set(offset, Buffer.from(payload).toString());
      next += records.length;
    }
    expect([...kept.keys()]).toEqual(Array.from({ length: end }, (_, offset) => offset));
    expect([...acknowledged].filter(([offset, content]) => kept.get(offset) !== content)).toEqual([]);
    await log.close();
  });

  it('is unchanged, with its keys and generations', async () => {
    const log = new PostgresLog({ connection, pool, clock: now });
    await log.createPartition('kept');
    const keyed: LogEntry = {
      kind: 'operation',
      payload: Buffer.from('keyed'),
      idempotency: { key: Buffer.from('key'), fingerprint: Buffer.from('body') },
    };
    await log.append('kept', keyed);
    await log.appendFenced('kept', { kind: 'tick', payload: Buffer.from('{}') }, async () => {});
    const before = { head: await log.head('kept'), records: await log.read('kept', 0, 100) };
    await server.kill();
    const survivor = new PostgresLog({ connection, pool, clock: now });
    expect({ head: await survivor.head('kept'), records: await survivor.read('kept', 0, 100) }).toEqual(before);
    expect(await survivor.append('kept', keyed)).toMatchObject({ offset: 2, retryOf: 0 });
    await survivor.close();
    await log.close();
  });
});

describe('a point-in-time recovery', () => {
  it('makes the next append begin a new epoch', async () => {
    const own = await startOwnServer();
    onTestFinished(() => own.remove());
    const before = await appendOnce(own.postgres.connectionConfig);
    const admin = new Client(own.postgres.connectionConfig);
    await admin.connect();
    await admin.query("ALTER SYSTEM SET restore_command = '/bin/false'");
    await admin.end();
    await own.postgres.stop();

    // The server then recovers from an archive, finds nothing in it, and continues on a new timeline.
    await writeFile(join(own.postgres.dataFolder, 'recovery.signal'), '');
    const recovered = await startEmbeddedPostgres({ home: own.home, log: silentLog });
    const after = await appendOnce(recovered.connectionConfig);
    await recovered.stop();
    expect(after.offset).toBe(before.offset + 1);
    expect(after.epoch).toBeGreaterThan(before.epoch);
  });

  async function appendOnce(to: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  }) {
    const ownPool = new Pool({ ...to, max: 2 });
    const { rows } = await ownPool.query<{ there: boolean }>(
      `SELECT to_regclass('log_partition') IS NOT NULL AS there`,
    );
    if (rows[0]?.there !== true) await ownPool.query(logSteps.join(''));
    const log = new PostgresLog({ connection: { ...to }, pool: ownPool, clock: now });
    await log.createPartition('p');
    const appended = await log.append('p', { kind: 'operation', payload: Buffer.from('x') });
    await log.close();
    await ownPool.end();
    if (appended.kind !== 'appended') throw new Error('nothing was appended');
    return appended;
  }
});

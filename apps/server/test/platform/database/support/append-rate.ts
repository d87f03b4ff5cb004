/**
 * Measures how many appends per second the log handles for callers that each wait for their answer, and then how fast
 * it is read.
 *
 *     node apps/server/test/platform/database/support/append-rate.ts [callers=64] [seconds=5] [partitions=1] [keyed]
 *
 * Uses its own embedded PostgreSQL, with payloads of 1,100 random bytes. The callers are in the same process.
 */
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EpochMs } from '@ringfence/contract';
import { logSteps, PostgresLog } from '@ringfence/log';
import { Pool } from 'pg';
import { silentLog } from '../../../../src/platform/database/database-log.ts';
import { startEmbeddedPostgres } from '../../../../src/platform/database/embedded-postgres.ts';

const [callers = '64', seconds = '5', partitions = '1', keyed] = process.argv.slice(2);
const payload = randomBytes(1_100);

const home = await mkdtemp(join(tmpdir(), 'ringfence-measure-'));
await chmod(home, 0o711);
const postgres = await startEmbeddedPostgres({ home, log: silentLog });
const pool = new Pool({ ...postgres.connectionConfig, max: 4 });
await pool.query(logSteps.join(''));
const log = new PostgresLog({ connection: postgres.connectionConfig, pool, clock: () => Date.now() as EpochMs });
let heard = 0;
log.onAppend(() => (heard += 1));

const names = Array.from({ length: Number(partitions) }, (_, index) => `p${String(index)}`);
for (const name of names) await log.createPartition(name);

const latenciesMs: number[] = [];
const startMs = performance.now();
const endMs = startMs + Number(seconds) * 1_000;
const cpu = process.cpuUsage();

async function caller(index: number): Promise<void> {
  const partition = names[index % names.length]!;
  for (;;) {
    const sentMs = performance.now();
    if (sentMs >= endMs) return;
    const idempotency =
      keyed === undefined ? {} : { idempotency: { key: randomBytes(32), fingerprint: randomBytes(32) } };
    await log.append(partition, { kind: 'operation', subject: 'abcdefgh12345678', payload, ...idempotency }, 0);
    latenciesMs.push(performance.now() - sentMs);
  }
}
await Promise.all(Array.from({ length: Number(callers) }, (_, index) => caller(index)));
const tookMs = performance.now() - startMs;
const { user, system } = process.cpuUsage(cpu);
latenciesMs.sort((a, b) => a - b);
const share = (part: number): number => Number(latenciesMs[Math.floor(latenciesMs.length * part)]?.toFixed(2));

const readStartMs = performance.now();
let next = 0;
for (;;) {
  const records = await log.read(names[0]!, next, 1_000);
  if (records.length === 0) break;
  next += records.length;
}
const readMs = performance.now() - readStartMs;
await log.close();
await pool.end();
await postgres.stop();
await rm(home, { recursive: true });

const measured = {
  callers: Number(callers),
  partitions: names.length,
  appendsPerSecond: Math.round((latenciesMs.length / tookMs) * 1_000),
  p50Ms: share(0.5),
  p99Ms: share(0.99),
  callerCpuShare: Number(((user + system) / 1_000 / tookMs).toFixed(2)),
  heard,
  readsPerSecond: Math.round((next / readMs) * 1_000),
};
process.stdout.write(`${JSON.stringify(measured)}\n`);

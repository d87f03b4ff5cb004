/** A database whose log has its bytes in a store: adoption of clients and erasures, and backups. */
import type { EpochMs } from '@ringfence/contract';
import { MemoryRecordStore } from '@ringfence/log/memory-store';
import { LogUnavailableError, PostgresLog } from '@ringfence/log';
import { to as copyTo } from 'pg-copy-streams';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PlacedRows } from '../../../src/platform/database/backup/placed-rows.ts';
import { seal } from '../../../src/platform/secrets/seal.ts';
import { adoptClients, AdoptionKeys } from '../../../src/tenancy/subjects/adoption.ts';
import { eraseClient } from '../../../src/tenancy/subjects/erase-client.ts';
import { PostgresSubjectKeys } from '../../../src/tenancy/subjects/postgres-subject-keys.ts';
import { createWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';

let home: Installation;
let workspace: Workspace;
const store = new MemoryRecordStore({ partitions: 1 });
const now = (): EpochMs => Date.now() as EpochMs;

beforeAll(async () => {
  home = await makeInstallation();
  const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
  workspace = (await createWorkspace(home.deps, { name: 'bank', environment: 'production', owners })).workspace;
});
afterAll(() => home.close());

const onError = (error: unknown): never => {
  throw error;
};

async function startAdoption(): Promise<AdoptionKeys> {
  const adoption = new AdoptionKeys({ pool: home.pool, now, onError });
  await adoption.start();
  return adoption;
}

function openLog(): PostgresLog {
  const records = { store, writes: true, adopt: adoptClients };
  return new PostgresLog({ connection: home.connection, pool: home.pool, clock: now, records });
}

/** What a rollback takes: everything of the log from this offset on. */
async function rollBack(end: number): Promise<void> {
  const { rows } = await home.pool.query<{ number: number }>(
    `update log_partition set end_offset = $2, life = 'before' where partition = $1 returning number`,
    [workspace.id, end],
  );
  await home.pool.query(`delete from log_${rows[0]!.number}_0 where first_offset >= $1`, [end]);
}

async function subjects(): Promise<readonly string[]> {
  const { rows } = await home.pool.query<{ id: string }>(`select id from subject where workspace_id = $1 order by 1`, [
    workspace.id,
  ]);
  return rows.map(({ id }) => id);
}

it('makes lost clients again, destroys erased ones, and leaves out what could not be read', async () => {
  let log = openLog();
  const adoption = await startAdoption();
  const keys = new PostgresSubjectKeys({ pool: home.pool, log, onError, adoption });
  const append = async (client: string, isAttached = true): Promise<string> => {
    const { subject, attached } = await keys.ofClient(workspace, client);
    expect(attached?.bytes.length).toBeGreaterThan(60);
    const attachment = isAttached && attached ? { attachment: attached.bytes } : {};
    await log.append(workspace.id, { kind: 'login', subject, payload: Buffer.from(client), ...attachment });
    return subject;
  };
  const erased = await append('to be erased');
  const { end } = await log.head(workspace.id);

  // This much is lost.
  const again = await append('lost');
  const erasedLater = await append('lost and erased');
  const unknown = await append('without its row', false);
  const before = await home.pool.query(`select * from subject where workspace_id = $1 and id = $2`, [
    workspace.id,
    again,
  ]);
  await eraseClient({ log, subjects: keys }, workspace, 'to be erased');
  await eraseClient({ log, subjects: keys }, workspace, 'lost and erased');
  await log.close();
  await rollBack(end);
  await home.pool.query(`delete from erasure where workspace_id = $1`, [workspace.id]);
  await home.pool.query(`delete from subject where workspace_id = $1`, [workspace.id]);
  await home.pool.query(
    `insert into subject (workspace_id, id, client_index, sealed_key) values ($1, $2, '\\x01', '\\x02')`,
    [workspace.id, erased],
  );
  // The client has sent another event since, and got another id.
  const sealedKey = seal(workspace.secrets.data, Buffer.alloc(32), { of: 'x', row: 'y' });
  await home.pool.query(
    `insert into subject (workspace_id, id, client_index, sealed_key) select $1, 'aaaaaaaaaaaaaaaa', $2, $3`,
    [workspace.id, (before.rows[0] as { client_index: Buffer }).client_index, sealedKey],
  );

  log = openLog();
  await log.append(workspace.id, { kind: 'tick', payload: Buffer.from('{}') });
  const records = await log.read(workspace.id, end, 10);
  expect(records.map(({ kind, subject }) => [kind, subject])).toEqual([
    ['login', again],
    ['login', erasedLater],
    ['erase', erased],
    ['erase', erasedLater],
    ['tick', undefined],
  ]);
  expect(await subjects()).toEqual([again]);
  expect(await subjects()).not.toContain(unknown);
  const after = await home.pool.query(`select client_index, sealed_key from subject where id = $1`, [again]);
  expect(after.rows).toEqual(before.rows.map(({ client_index, sealed_key }) => ({ client_index, sealed_key })));
  adoption.close();
  await log.close();
});

it('keeps the id under which events were confirmed, if others were sealed under a new one before the adoption', async () => {
  let log = openLog();
  const adoption = await startAdoption();
  /** With no id in its memory, as a process that has just started. */
  const sealed = async (text: string) => {
    const keys = new PostgresSubjectKeys({ pool: home.pool, log, onError, adoption });
    const { subject, attached } = await keys.ofClient(workspace, 'ana');
    return { kind: 'login', subject, payload: Buffer.from(text), attachment: attached!.bytes } as const;
  };
  const { end } = await log.head(workspace.id);
  const confirmed = await sealed('confirmed');
  await log.append(workspace.id, confirmed);
  await log.close();
  await rollBack(end);
  await home.pool.query(`delete from subject where workspace_id = $1 and id = $2`, [workspace.id, confirmed.subject]);

  log = openLog();
  const early = await sealed('before the adoption');
  expect(early.subject).not.toBe(confirmed.subject);
  // Its process puts it into the store, and loses the database before that has answered.
  const holder = await home.pool.connect();
  await holder.query('begin');
  await holder.query('select from log_partition where partition = $1 for update', [workspace.id]);
  const put = store.sizeOf(0);
  const unknown = log.append(workspace.id, early).catch((error: unknown) => error);
  await expect.poll(() => store.sizeOf(0)).toBe(put + 1);
  await home.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
                          where datname = current_database() and application_name = 'ringfence appender'`);
  expect(await unknown).toBeInstanceOf(LogUnavailableError);
  await holder.query('rollback');
  holder.release();
  await log.close();

  log = openLog();
  await log.append(workspace.id, { kind: 'tick', payload: Buffer.from('{}') });
  const records = await log.read(workspace.id, end, 10);
  expect(records.map(({ kind, payload }) => [kind, payload.toString()])).toEqual([
    ['login', 'confirmed'],
    ['tick', '{}'],
  ]);
  expect(await subjects()).toContain(confirmed.subject);
  expect(await subjects()).not.toContain(early.subject);
  adoption.close();
  await log.close();
});

it('writes whole bytes into a backup', async () => {
  const log = openLog();
  const partition = 'backed-up';
  await log.createPartition(partition);
  const payloads = Array.from({ length: 30 }, (_, index) => Buffer.alloc(900, index));
  await log.append(partition, { kind: 'tick', payload: payloads[0]! });
  await Promise.all(payloads.slice(1).map((payload) => log.append(partition, { kind: 'tick', payload })));
  const { rows } = await home.pool.query<{ number: number }>(`select number from log_partition where partition = $1`, [
    partition,
  ]);
  const { number } = rows[0]!;
  const client = await home.pool.connect();
  const placed = new PlacedRows(home.connection, openLog);
  const lines: string[] = [];
  const copied = client.query(copyTo(`copy log_${number}_0 to stdout`));
  for await (const piece of placed.whole(number, copied)) lines.push(piece.toString('latin1'));
  client.release();
  await placed.close();
  const frames = lines
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t').at(-1)!);
  expect(frames.every((one) => one.startsWith('\\\\x06'))).toBe(true);
  expect(frames.join('').replaceAll('\\\\x', '').length / 2).toBe(30 * (2 + 4 + 900));
  await log.close();
});

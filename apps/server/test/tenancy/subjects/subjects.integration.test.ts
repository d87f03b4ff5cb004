/** Clients' ids and keys: two processes create, find and erase them. */
import type { EpochMs } from '@ringfence/contract';
import { PostgresLog, StaleGenerationError } from '@ringfence/log';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, type MockInstance, vi } from 'vitest';
import { blindIndex } from '../../../src/platform/secrets/blind-index.ts';
import { open, seal } from '../../../src/platform/secrets/seal.ts';
import { subjectPlace } from '../../../src/tenancy/subjects/get-or-create.ts';
import { eraseClient } from '../../../src/tenancy/subjects/erase-client.ts';
import { PostgresSubjectKeys } from '../../../src/tenancy/subjects/postgres-subject-keys.ts';
import { createWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';
import { patience } from '../../../../../tools/testing/patience.ts';

/** The parts of one process. */
interface Process {
  readonly pool: Pool;
  readonly log: PostgresLog;
  readonly subjects: PostgresSubjectKeys;
}

let home: Installation;
let workspace: Workspace;
const processes: Process[] = [];

async function openProcess(): Promise<Process> {
  const pool = new Pool(home.pool.options);
  const log = new PostgresLog({ connection: pool.options, pool, clock: () => Date.now() as EpochMs });
  const subjects = new PostgresSubjectKeys({ pool, log, onError: () => {} });
  await subjects.start(log.notifications);
  const made = { pool, log, subjects };
  processes.push(made);
  return made;
}

beforeAll(async () => {
  home = await makeInstallation();
  const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
  workspace = (await createWorkspace(home.deps, { name: 'bank', environment: 'production', owners })).workspace;
});
afterEach(async () => {
  for (const { subjects, log, pool } of processes.splice(0)) {
    await subjects.close();
    await log.close();
    await pool.end();
  }
});
afterAll(() => home.close());

type Statement = { readonly name?: string };
const findOrMake = 'subject_find_or_make';

describe('a client', () => {
  it('that is new gets a random id and key; the next call returns them synchronously', async () => {
    const { subjects } = await openProcess();
    const first = await subjects.ofClient(workspace, 'alice');
    expect(first.subject).toMatch(/^[a-z2-7]{16}$/);
    expect(first.key.symmetricKeySize).toBe(32);
    expect(subjects.ofClient(workspace, 'alice')).toBe(first);
  });

  it('has the same id and key in another process', async () => {
    const [a, b] = [await openProcess(), await openProcess()];
    const [here, there] = [await a.subjects.ofClient(workspace, 'bob'), await b.subjects.ofClient(workspace, 'bob')];
    expect(there.subject).toBe(here.subject);
    expect(there.key.equals(here.key)).toBe(true);
  });

  it('has a different id and key in another workspace', async () => {
    const { subjects } = await openProcess();
    const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
    const { workspace: other } = await createWorkspace(home.deps, { name: 'other', environment: 'production', owners });
    const here = await subjects.ofClient(workspace, 'eve');
    const there = await subjects.ofClient(other, 'eve');
    expect(there.subject).not.toBe(here.subject);
    expect(there.key.equals(here.key)).toBe(false);
  });

  it('is created once, even if many processes request it concurrently', async () => {
    const three = [await openProcess(), await openProcess(), await openProcess()];
    const clients = Array.from({ length: 200 }, (_, i) => `crowd ${i}`);
    const found = await Promise.all(
      // Each process uses a different order, to provoke deadlocks between their inserts.
      three.map(async ({ subjects }, i) => {
        const order = i === 0 ? clients : clients.toReversed();
        const keys = await Promise.all(order.map(async (client) => subjects.ofClient(workspace, client)));
        return new Map(order.map((client, at) => [client, keys[at]!.subject]));
      }),
    );
    for (const client of clients) {
      expect(new Set(found.map((one) => one.get(client))).size, client).toBe(1);
    }
    const rows = await home.pool.query(
      `select count(distinct client_index)::integer as clients from subject where workspace_id = $1`,
      [workspace.id],
    );
    expect(rows.rows[0]).toEqual({ clients: 200 + 3 });
  });

  it('that another process is creating concurrently is found, not created again', async () => {
    const { subjects } = await openProcess();
    const other = await home.pool.connect();
    const subject = 'b'.repeat(16);
    const clientIndex = blindIndex(workspace.secrets.index, 'in the making');
    const sealed = seal(workspace.secrets.data, Buffer.alloc(32, 9), subjectPlace(workspace.id, subject, clientIndex));
    await other.query('begin');
    await other.query(`insert into subject (workspace_id, id, client_index, sealed_key) values ($1, $2, $3, $4)`, [
      workspace.id,
      subject,
      clientIndex,
      sealed,
    ]);
    const asked = subjects.ofClient(workspace, 'in the making');
    await vi.waitFor(async () => {
      const waiting = await home.pool.query(
        `select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%with wanted%'`,
      );
      expect(waiting.rowCount).toBe(1);
    }, patience);
    await other.query('commit');
    other.release();
    const found = await asked;
    expect([found.subject, found.key.export()]).toEqual([subject, Buffer.alloc(32, 9)]);
  });

  it('is requested in one query with all others of the same event-loop turn', async () => {
    const { subjects, pool } = await openProcess();
    const query = vi.spyOn(pool, 'query');
    await Promise.all(Array.from({ length: 50 }, async (_, i) => subjects.ofClient(workspace, `turn ${i % 25}`)));
    const asked = query.mock.calls.filter(([statement]) => (statement as Statement).name === findOrMake);
    expect(asked).toHaveLength(1);
  });

  it('is not stored by name in the database', async () => {
    const { subjects } = await openProcess();
    const { key } = await subjects.ofClient(workspace, 'a-very-visible-name');
    const dump = await home.pool.query<{ all: string }>(`select json_agg(s)::text as all from subject s`);
    expect(dump.rows[0]!.all).not.toContain('a-very-visible-name');
    expect(dump.rows[0]!.all).not.toContain(key.export().toString('hex'));
    expect(dump.rows[0]!.all).not.toContain(Buffer.from('a-very-visible-name').toString('hex'));
  });
});

describe('keys by subject', () => {
  it('are returned for known subjects; unknown ones are missing', async () => {
    const [a, b] = [await openProcess(), await openProcess()];
    const carol = await a.subjects.ofClient(workspace, 'carol');
    const keys = await b.subjects.bySubject(workspace, [carol.subject, 'a'.repeat(16)]);
    expect(keys).toEqual(new Map([[carol.subject, carol.key.export()]]));
  });

  it('are found without creating a client', async () => {
    const { subjects } = await openProcess();
    expect(await subjects.find(workspace, 'never heard of')).toBeUndefined();
    expect(await subjects.find(workspace, 'never heard of')).toBeUndefined();
    const dave = await subjects.ofClient(workspace, 'dave');
    expect(await subjects.find(workspace, 'dave')).toBe(dave.subject);
  });
});

describe('an erased client', () => {
  it('cannot be read by any process, and returns as a new client', async () => {
    const [a, b] = [await openProcess(), await openProcess()];
    const before = await a.subjects.ofClient(workspace, 'mallory');
    await b.subjects.bySubject(workspace, [before.subject]);
    const known = { of: 'event', row: '' };
    const sealed = seal(before.key, Buffer.from('what was known'), known);

    expect(await eraseClient(a, workspace, 'mallory')).toBe(before.subject);
    expect(await a.subjects.bySubject(workspace, [before.subject])).toEqual(new Map());
    await vi.waitFor(
      async () => expect(await b.subjects.bySubject(workspace, [before.subject])).toEqual(new Map()),
      patience,
    );
    const rows = await home.pool.query(`select 1 from subject where id = $1`, [before.subject]);
    expect(rows.rowCount).toBe(0);

    const after = await a.subjects.ofClient(workspace, 'mallory');
    expect(after.subject).not.toBe(before.subject);
    expect(() => open(after.key, sealed, known)).toThrow('cannot be decrypted');
  });

  it('has an erase record in the log, written in the same commit', async () => {
    const { subjects, log } = await openProcess();
    const { subject } = await subjects.ofClient(workspace, 'trudy');
    await eraseClient({ subjects, log }, workspace, 'trudy');
    const head = await log.head(workspace.id);
    const [record] = await log.read(workspace.id, head.end - 1, 1);
    expect(record).toMatchObject({ kind: 'erase', subject });
  });

  it('keeps its key if the record is not appended', async () => {
    const { subjects } = await openProcess();
    const before = await subjects.ofClient(workspace, 'victor');
    const unavailable = { appendFenced: () => Promise.reject(new Error('the log is away')) };
    await expect(eraseClient({ subjects, log: unavailable }, workspace, 'victor')).rejects.toThrow('the log is away');
    await subjects.refresh(workspace.id);
    expect(await subjects.ofClient(workspace, 'victor')).toEqual(before);
  });

  it('is erased once, even by concurrent requests', async () => {
    const [a, b] = [await openProcess(), await openProcess()];
    const { subject } = await a.subjects.ofClient(workspace, 'walter');
    const erased = await Promise.allSettled([eraseClient(a, workspace, 'walter'), eraseClient(b, workspace, 'walter')]);
    expect(erased.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))).toEqual([subject]);
    await expect(eraseClient(a, workspace, 'walter')).rejects.toMatchObject({ code: 'thing.unknown' });
  });

  it('is erased even if a base with its state is written at the same time', async () => {
    const process = await openProcess();
    const { subject } = await process.subjects.ofClient(workspace, 'sybil');
    const putEntity = `insert into base_entity (workspace_id, key, subject, state) values ($1, $2, $3, '')`;
    for (const key of ['first', 'second']) await home.pool.query(putEntity, [workspace.id, Buffer.from(key), subject]);
    const lock = `select 1 from base_entity where workspace_id = $1 and key = $2 for update`;
    const base = await home.pool.connect();
    await base.query('begin');
    await base.query(lock, [workspace.id, Buffer.from('second')]);
    const erasing = eraseClient(process, workspace, 'sybil');
    const waiting = `select 1 from pg_locks where not granted and pid <> pg_backend_pid()`;
    await expect.poll(async () => (await home.pool.query(waiting)).rowCount).toBeGreaterThan(0);
    // The erasure has the first lock and waits for the second: PostgreSQL aborts the transaction that detects the deadlock,
    // here the erasure, which retries. It checks after a second; if that was before the deadlock, the base detects it.
    const isEnded = await base.query(lock, [workspace.id, Buffer.from('first')]).then(
      () => false,
      () => true,
    );
    await base.query(isEnded ? 'rollback' : 'commit');
    base.release();
    expect(await erasing).toBe(subject);
    expect((await home.pool.query(`select 1 from base_entity`)).rowCount).toBe(0);
  });

  it('cannot get events under its old key: the log refuses them, and the process refreshes its keys', async () => {
    const [a, b] = [await openProcess(), await openProcess()];
    await b.subjects.refresh(workspace.id);
    const generation = b.subjects.generation(workspace.id);
    const before = await b.subjects.ofClient(workspace, 'peggy');
    await eraseClient(a, workspace, 'peggy');

    const append = (subject: string, of: number) =>
      b.log.append(workspace.id, { kind: 'login', subject, payload: Buffer.from('x') }, of);
    await expect(append(before.subject, generation)).rejects.toThrow(StaleGenerationError);
    await b.subjects.refresh(workspace.id);
    const present = b.subjects.generation(workspace.id);
    const after = await b.subjects.ofClient(workspace, 'peggy');
    expect(after.subject).not.toBe(before.subject);
    expect(await append(after.subject, present)).toMatchObject({ kind: 'appended' });
  });

  it('that a failover lost becomes a new client once the process has reconnected', async () => {
    const { subjects, log } = await openProcess();
    await subjects.refresh(workspace.id);
    const generation = subjects.generation(workspace.id);
    const lost = await subjects.ofClient(workspace, 'victor');
    await home.pool.query(`delete from subject where id = $1`, [lost.subject]);
    await home.pool.query(`update log_partition set life = 'before'`);
    const sealed = { kind: 'login', subject: lost.subject, payload: Buffer.from('x') } as const;
    await expect(log.append(workspace.id, sealed, generation)).rejects.toThrow(StaleGenerationError);

    await home.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
                            where datname = current_database() and application_name = 'ringfence listener'`);
    const isAnother = async () => (await subjects.ofClient(workspace, 'victor')).subject !== lost.subject;
    await expect.poll(isAnother, patience).toBe(true);
  });

  it('that is erased during a look-up is looked up again', async () => {
    const { subjects, pool, log } = await openProcess();
    await openProcess().then((other) => other.subjects.ofClient(workspace, 'oscar'));
    // The answer of the look-up is delayed until the keys have been forgotten.
    const [answered, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const query = pool.query.bind(pool) as (statement: unknown, values?: unknown) => Promise<unknown>;
    const holdBack = async (statement: unknown, values?: unknown): Promise<unknown> => {
      const answer = await query(statement, values);
      if ((statement as Statement).name === findOrMake) {
        answered.resolve();
        await held.promise;
      }
      return answer;
    };
    const spy = vi.spyOn(pool, 'query') as unknown as MockInstance<typeof query>;
    spy.mockImplementation(holdBack);
    const asked = subjects.ofClient(workspace, 'oscar');
    await answered.promise;
    const erased = await eraseClient({ subjects, log }, workspace, 'oscar');
    held.resolve();
    expect((await asked).subject).not.toBe(erased);
  });
});

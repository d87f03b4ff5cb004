/**
 * A process that tells the log what is set loses its lock while its append is under way. Goal: whatever it appends late, the
 * log ends with what the database says. Method: the append is held back, the connection that holds the lock is ended, another
 * process makes the log agree, and only then the append goes on.
 */
import { type LogEntry, StaleGenerationError } from '@ringfence/log';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { syncSettings } from '../../../src/tenancy/workspaces/settings-sync.ts';
import { createWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import type { WorkspaceDeps } from '../../../src/tenancy/workspaces/workspace-deps.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';

let home: Installation;
let count = 0;
beforeAll(async () => {
  home = await makeInstallation();
});
afterAll(() => home.close());

async function makeWorkspace(): Promise<string> {
  const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
  const wanted = { name: `bank ${++count}`, environment: 'production', owners } as const;
  return (await createWorkspace(home.deps, wanted)).workspace.id;
}

async function setBlockHours(id: string, hours: number): Promise<void> {
  const set = `update workspace set settings = settings || jsonb_build_object('blockHours', $2::integer) where id = $1`;
  await home.pool.query(set, [id, hours]);
}

/** An `syncSettings` whose append waits until `goOn` is called, and which has lost its lock by then. */
async function agreeLate(id: string): Promise<{ readonly goOn: () => void; readonly ended: Promise<unknown> }> {
  const [begun, allowed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const results: Promise<unknown>[] = [];
  const append = async (partition: string, entry: LogEntry, generation?: number): Promise<never> => {
    begun.resolve();
    await allowed.promise;
    const appended = home.log.append(partition, entry, generation);
    results.push(appended.catch((error: unknown) => error));
    return (await appended) as never;
  };
  const late = { append, createPartition: home.log.createPartition.bind(home.log) } as unknown as WorkspaceDeps['log'];
  const agreed = syncSettings({ ...home.deps, log: late }, id).catch((error: unknown) => error);
  await begun.promise;
  await home.pool.query(
    `select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and granted and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())`,
  );
  return { goOn: allowed.resolve, ended: agreed.then(() => results[0]) };
}

async function lastRecord(id: string): Promise<unknown> {
  const last = (await home.log.read(id, 0, 1_000)).at(-1)!;
  return [
    last.kind,
    last.kind === 'settings' ? JSON.parse(Buffer.from(last.payload).toString('utf8')).blockMs : last.payload.toString(),
  ];
}

it('settings that were changed back meanwhile stay the last in the log', async () => {
  const id = await makeWorkspace();
  await setBlockHours(id, 2);
  const late = await agreeLate(id);
  await setBlockHours(id, 24);
  await syncSettings(home.deps, id);
  late.goOn();
  expect(await late.ended).toBeInstanceOf(StaleGenerationError);
  expect(await lastRecord(id)).toEqual(['settings', 24 * 3_600_000]);
});

it('a directive does not land behind a newer one', async () => {
  const id = await makeWorkspace();
  const give = (payload: string): Promise<unknown> =>
    home.pool.query(
      `insert into directive (workspace_id, kind, payload, author, comment) values ($1, 'list', $2, 'test', '')`,
      [id, Buffer.from(payload)],
    );
  await give('older');
  const late = await agreeLate(id);
  await give('newer');
  await syncSettings(home.deps, id);
  late.goOn();
  expect(await late.ended).toBeInstanceOf(StaleGenerationError);
  expect(await lastRecord(id)).toEqual(['list', 'newer']);
});

/**
 * A process that appends a workspace's changes to the log is stopped just before its append, and goes on late. Goal: the log
 * ends with what the database wants, and nothing is appended twice. Method: the append is held back, another process makes the
 * log agree, and only then the append goes on.
 */
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

/** Starts `syncSettings` with an append that waits until `goOn` is called. @returns also what it appended in the end */
async function syncLate(id: string): Promise<{ readonly goOn: () => void; readonly appended: Promise<number> }> {
  const [begun, allowed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const log: WorkspaceDeps['log'] = {
    createPartition: (...given) => home.log.createPartition(...given),
    appendWith: async (...given) => {
      begun.resolve();
      await allowed.promise;
      return home.log.appendWith(...given);
    },
  };
  const appended = syncSettings({ ...home.deps, log }, id);
  await begun.promise;
  return { goOn: allowed.resolve, appended };
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
  const late = await syncLate(id);
  await setBlockHours(id, 24);
  await syncSettings(home.deps, id);
  late.goOn();
  expect(await late.appended).toBe(0);
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
  const late = await syncLate(id);
  await give('newer');
  await syncSettings(home.deps, id);
  late.goOn();
  expect(await late.appended).toBe(0);
  expect(await lastRecord(id)).toEqual(['list', 'newer']);
});

it('appending changes leaves the generation as it is, so that no client key is read again', async () => {
  const id = await makeWorkspace();
  await setBlockHours(id, 2);
  expect(await syncSettings(home.deps, id)).toBe(1);
  expect((await home.log.head(id)).generation).toBe(0);
});

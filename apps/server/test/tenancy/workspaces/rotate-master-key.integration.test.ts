/** Rotation of a database's master key while processes run on it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { insertAccount } from '../../../src/access/accounts/account-rows.ts';
import { beginSecondFactor, totpPlace } from '../../../src/access/accounts/second-factor.ts';
import { base32 } from '../../../src/access/accounts/totp.ts';
import { MasterKeys, retiredKeyPath } from '../../../src/platform/secrets/master-keys.ts';
import { open } from '../../../src/platform/secrets/seal.ts';
import { verifyMasterKeys } from '../../../src/platform/secrets/sealing-key.ts';
import { createKey } from '../../../src/tenancy/workspaces/key-rotation.ts';
import { PostgresWorkspaceRegistry } from '../../../src/tenancy/workspaces/postgres-registry.ts';
import { type Rotation, rotateMasterKey } from '../../../src/tenancy/workspaces/rotate-master-key.ts';
import { type KeyUse, readKeyUses } from '../../../src/tenancy/workspaces/reseal.ts';
import { inTransaction } from '../../../src/platform/database/transactions.ts';
import type { WorkspaceDeps } from '../../../src/tenancy/workspaces/workspace-deps.ts';
import { makeSecrets } from '../../../src/tenancy/workspaces/workspace-secrets.ts';
import { createWorkspace, replacePepper, updateWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';

const [oldText, newText] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];
const fromText = (text: string): MasterKeys => MasterKeys.load({ home: '/nowhere', fromEnvironment: text });
const [oldId, newId] = [oldText, newText].map((text) => fromText(text).all()[0]!.id) as [string, string];
const both = fromText(`${oldText} ${newText}`);

let home: Installation;
let pool: Pool;
let folder: string;
const processes: Process[] = [];
beforeEach(async () => {
  home = await makeInstallation();
  ({ pool } = home);
  await pool.query(`truncate installation`);
  folder = mkdtempSync(join(tmpdir(), 'ringfence-rotate-'));
});
afterEach(async () => {
  for (const { stop } of processes.splice(0)) await stop();
  await home.close();
  rmSync(folder, { recursive: true });
});

const depsWith = (master: MasterKeys): WorkspaceDeps => ({ ...home.deps, master });

/** Starts like a process: checks the master keys, and creates workspaces with all kinds of secrets. */
async function populate(master: MasterKeys, count: number): Promise<readonly Workspace[]> {
  await verifyMasterKeys(pool, master);
  const made: Workspace[] = [];
  const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
  const settings = { webhook: { url: 'https://bank.example/hook', proxy: 'http://u:hunter2@proxy.example:3128' } };
  for (let i = 0; i < count; i++) {
    const wanted = { name: `bank ${i}`, environment: 'production', owners, settings } as const;
    const { workspace } = await createWorkspace(depsWith(master), wanted);
    await replacePepper(depsWith(master), workspace.id, Buffer.alloc(40, i));
    await createKey(depsWith(master), workspace.id);
    made.push(workspace);
  }
  return made;
}

interface Process {
  readonly registry: PostgresWorkspaceRegistry;
  readonly errors: readonly unknown[];
  readonly stop: () => Promise<void>;
}

/** A running process with these keys: it has loaded everything and follows changes. */
async function running(master: MasterKeys): Promise<Process> {
  const errors: unknown[] = [];
  const registry = new PostgresWorkspaceRegistry({
    pool: home.anotherPool(),
    master,
    now: Date.now,
    onError: (error) => errors.push(error),
  });
  const listener = home.anotherListener();
  await registry.start(listener);
  const made = { registry, errors, stop: () => Promise.all([registry.close(), listener.close()]).then(() => {}) };
  processes.push(made);
  // Only of this database: the server also has connections of other tests.
  const held = `select 1 from pg_locks l join pg_database d on d.oid = l.database
                 where l.locktype = 'advisory' and d.datname = current_database()`;
  await expect.poll(async () => (await pool.query(held)).rowCount).not.toBe(0);
  return made;
}

/** What a process has decrypted: secrets, private settings, sent keys. */
function openedBy(registry: PostgresWorkspaceRegistry): unknown {
  return registry.all().map((one) => [one.id, one.secrets, one.settings, registry.sendingKey(one.id)]);
}

function rotate(master: MasterKeys, onProgress: (done: number) => void = () => {}): Promise<Rotation> {
  return rotateMasterKey({ pool, further: [], master, onProgress });
}

/** All encrypted rows, under whatever key. */
async function sealed(): Promise<Omit<KeyUse, 'masterKeyId'>> {
  const uses = await readKeyUses(pool);
  const sum = (of: 'secrets' | 'licenseKeys' | 'secondFactors'): number =>
    uses.reduce((total, use) => total + use[of], 0);
  return { secrets: sum('secrets'), licenseKeys: sum('licenseKeys'), secondFactors: sum('secondFactors') };
}

async function expectAllUnder(id: string): Promise<void> {
  expect((await readKeyUses(pool)).map(({ masterKeyId }) => masterKeyId)).toEqual([id]);
}

describe('with keys in the environment', () => {
  it('everything is encrypted under the new key and can be decrypted as before', async () => {
    await populate(both, 3);
    const { registry, errors } = await running(both);
    const before = [registry.all(), openedBy(registry)];
    const all = await sealed();
    // At least four keys, a retired pepper and settings; two license keys.
    expect(all).toEqual({ secrets: expect.any(Number), licenseKeys: 3 * 2, secondFactors: 0 });
    expect(all.secrets).toBeGreaterThanOrEqual(3 * 6);
    expect(await rotate(both)).toEqual({ to: newId, workspaces: 3, ...all, retired: [oldId], retiredFiles: [] });
    await expectAllUnder(newId);
    expect(await sealed()).toEqual(all);
    await registry.refresh();
    expect([registry.all(), openedBy(registry)]).toEqual(before);
    // The same objects: values derived from them stay valid.
    expect(registry.all()[0]).toBe((before[0] as readonly Workspace[])[0]);
    const { registry: next } = await running(fromText(newText));
    expect(openedBy(next)).toEqual(before[1]);
    expect(errors).toEqual([]);
  });

  it('second factors of accounts are encrypted under the new key', async () => {
    await populate(both, 1);
    const { id } = await inTransaction(pool, (client) =>
      insertAccount(client, { email: 'ana@bank.example', name: 'Ana', roles: {} }),
    );
    const { key } = await beginSecondFactor({ pool, master: fromText(oldText) }, { id, email: 'ana@bank.example' });
    expect(await rotate(both)).toMatchObject({ secondFactors: 1 });
    await expectAllUnder(newId);
    const found = await pool.query<{ totp_sealed: Buffer }>(`select totp_sealed from account`);
    const secret = open(fromText(newText).all()[0]!.key, found.rows[0]!.totp_sealed, totpPlace(id));
    expect(base32(secret)).toBe(key);
  });

  it('all tables that refer to a master key are included', async () => {
    const named = await pool.query<{ table_name: string }>(
      `select table_name from information_schema.columns
        where column_name = 'master_key_id' and table_name <> 'installation' order by table_name`,
    );
    expect(named.rows.map((row) => row.table_name)).toEqual([
      'account',
      'audit_key',
      'license_key',
      'workspace_secret',
    ]);
  });

  it('concurrent changes are encrypted under the new key', async () => {
    const [first] = await populate(both, 5);
    const changes: Promise<unknown>[] = [];
    await rotate(both, () => {
      const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
      const name = `meanwhile ${changes.length}`;
      changes.push(createWorkspace(depsWith(both), { name, environment: 'development', owners }));
      const settings = { blockHours: changes.length, webhook: { proxy: 'http://u:other@proxy.example:3128' } };
      changes.push(updateWorkspace(depsWith(both), first!.id, { settings, actor: 'api' }));
    });
    await Promise.all(changes);
    expect(changes).toHaveLength(10);
    await expectAllUnder(newId);
    const { registry } = await running(fromText(newText));
    expect(registry.byId(first!.id)?.settings.webhook?.proxy).toBe('http://u:other@proxy.example:3128');
  });

  it('the rotation waits for transactions that encrypt under the old key', async () => {
    await populate(both, 1);
    let rotation: Promise<Rotation> | undefined;
    await inTransaction(pool, async (client) => {
      await client.query(
        `insert into workspace (id, name, environment, settings_owner, keys_owner, policy_owner, settings)
         values ('slowslow', 'slow', 'production', 'api', 'api', 'api', '{}')`,
      );
      await makeSecrets(client, 'slowslow', both);
      rotation = rotate(both);
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);
    });
    expect(await rotation).toMatchObject({ to: newId, workspaces: 2 });
    await expectAllUnder(newId);
  });

  it('a next key is required, and every process must have it', async () => {
    await populate(fromText(oldText), 1);
    await expect(rotate(fromText(oldText))).rejects.toThrow(`contains only ${oldId}, which is already in use`);
    const { stop } = await running(fromText(oldText));
    await expect(rotate(both)).rejects.toThrow(`A running process does not have the next master key ${newId}`);
    await expectAllUnder(oldId);
    await stop();
    await expect.poll(() => rotate(both).catch(() => undefined)).toMatchObject({ to: newId, workspaces: 1 });
  });

  it('a replaced key cannot be rotated to again, and is not sufficient on its own', async () => {
    await populate(both, 1);
    await rotate(both);
    expect(await rotate(both)).toMatchObject({ to: newId, workspaces: 0, retired: [oldId] });
    await expectAllUnder(newId);
    await expect(verifyMasterKeys(pool, fromText(oldText))).rejects.toThrow(`${oldId} was replaced on 2`);
    await expect(verifyMasterKeys(pool, fromText(newText))).resolves.toBeUndefined();
  });

  it('two rotations cannot run at the same time', async () => {
    await populate(both, 1);
    let second: Promise<unknown> | undefined;
    await rotate(both, () => {
      second = rotate(both).catch((error: unknown) => error);
    });
    expect(String(await second)).toContain('is already running');
  });
});

describe('with keys in a file', () => {
  const load = (): MasterKeys => MasterKeys.load({ home: folder, fromEnvironment: undefined });

  it('a new key is generated, processes find it in the file, and the old one is moved out', async () => {
    const here = load();
    await populate(here, 2);
    const { registry, errors } = await running(load());
    const before = openedBy(registry);
    const [old] = here.all();
    const done = await rotate(load());
    expect(done).toMatchObject({ workspaces: 2, retired: [old!.id], retiredFiles: [retiredKeyPath(folder, old!.id)] });
    expect(done.to).not.toBe(old!.id);
    await expectAllUnder(done.to);
    await registry.refresh();
    expect(openedBy(registry)).toEqual(before);
    // The process can still encrypt, although it was started with only the old key.
    await createWorkspace(depsWith(here), {
      name: 'later',
      environment: 'production',
      owners: { settings: 'api', keys: 'api', policy: 'api' },
    });
    await expectAllUnder(done.to);
    expect(errors).toEqual([]);
    expect(load().all()).toMatchObject([{ id: done.to }]);
  });

  it('the next rotation generates another key', async () => {
    await populate(load(), 1);
    const first = await rotate(load());
    const second = await rotate(load());
    expect(second.to).not.toBe(first.to);
    expect(second.retired).toEqual([first.to]);
    await expectAllUnder(second.to);
    expect(readdirSync(join(folder, 'secrets'))).toHaveLength(3);
  });
});

describe('an interrupted rotation', () => {
  const load = (): MasterKeys => MasterKeys.load({ home: folder, fromEnvironment: undefined });
  class Killed extends Error {}

  it.each([0, 1, 3, 4])('after %i of 5 workspaces leaves everything readable, and continues', async (after) => {
    await populate(load(), 5);
    const [old] = load().all();
    const killed = rotate(load(), (done) => {
      if (done === after) throw new Killed();
    });
    await expect(killed).rejects.toThrow(Killed);
    expect(load().all()).toHaveLength(2);
    expect(await readKeyUses(pool)).toHaveLength(after === 0 ? 1 : 2);
    await verifyMasterKeys(pool, load());
    const { registry } = await running(load());
    const before = openedBy(registry);

    const done = await rotate(load());
    expect(done).toMatchObject({ workspaces: 5 - after, retired: [old!.id] });
    await expectAllUnder(done.to);
    expect(load().all()).toMatchObject([{ id: done.to }]);
    const { registry: next } = await running(load());
    expect(openedBy(next)).toEqual(before);
  });

  it('before its first step uses the key that was already generated', async () => {
    await populate(load(), 1);
    const next = load().addToFile();
    expect(await rotate(load())).toMatchObject({ to: next.id, workspaces: 1 });
  });

  it('before its last step removes the old key from the file', async () => {
    await populate(load(), 1);
    const [old] = load().all();
    const next = load().addToFile();
    await rotateMasterKey({ pool, further: [], master: keptInFile(load()), onProgress: () => {} });
    expect(load().all()).toHaveLength(2);
    expect(await rotate(load())).toMatchObject({ to: next.id, workspaces: 0, retired: [old!.id] });
    expect(load().all()).toMatchObject([{ id: next.id }]);
  });

  /** The keys of a process that crashes just before it writes the file. */
  function keptInFile(keys: MasterKeys): MasterKeys {
    return Object.assign(keys, { leaveInFile: () => [] });
  }

  it('cannot continue without the old key, and reports that before it changes anything', async () => {
    await populate(both, 3);
    await expect(
      rotate(both, (done) => {
        if (done === 1) throw new Killed();
      }),
    ).rejects.toThrow(Killed);
    await expect(rotate(fromText(newText))).rejects.toThrow(`Some data is sealed under master key ${oldId}`);
    expect(await rotate(both)).toMatchObject({ to: newId, workspaces: 2 });
  });
});

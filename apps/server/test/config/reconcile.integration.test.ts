/** Ownership: what the file declares, what it leaves out, and what happens to both. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogUnavailableError } from '@ringfence/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstStart, starterPolicyFolder } from '../../src/config/first-start.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { readPolicyFolder } from '../../src/config/policy-folder.ts';
import { labelOf, reconcile, type ReconcileReport } from '../../src/config/reconcile.ts';
import { createKey, promoteKey, revokeKey } from '../../src/tenancy/workspaces/key-rotation.ts';
import { listLicenseKeys } from '../../src/tenancy/workspaces/license-keys.ts';
import { applyPolicy, listPolicies } from '../../src/policies/policy-store.ts';
import { PostgresWorkspaceRegistry } from '../../src/tenancy/workspaces/postgres-registry.ts';
import { listWorkspaces, updateWorkspace } from '../../src/tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';

let home: Installation;
let folder: string;
let deps: Installation['deps'] & { readonly now: () => number };
beforeEach(async () => {
  home = await makeInstallation();
  deps = { ...home.deps, now: Date.now };
  folder = mkdtempSync(join(tmpdir(), 'ringfence-reconcile-'));
});
afterEach(async () => {
  await home.close();
  rmSync(folder, { recursive: true, force: true });
});

const [keyA, keyB, keyC] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];

/** Starts with this file. */
function start(text: string): Promise<ReconcileReport> {
  writeFileSync(join(folder, 'ringfence.yaml'), text);
  return reconcile(loadConfiguration({ config: 'ringfence.yaml' }, {}, folder), deps);
}

function acme(...lines: readonly string[]): string {
  return ['workspaces:', '  - name: acme', '    environment: production', ...lines.map((line) => `    ${line}`)].join(
    '\n',
  );
}

async function only(): Promise<Workspace> {
  const all = await listWorkspaces(home.deps);
  expect(all).toHaveLength(1);
  return all[0]!;
}

async function keyStates(): Promise<readonly string[]> {
  const { id } = await only();
  return (await listLicenseKeys(home.pool, id)).map(({ hint, state }) => `${hint.at(-1)} ${state}`);
}

async function sentKey(): Promise<string | undefined> {
  const registry = new PostgresWorkspaceRegistry({
    pool: home.pool,
    master: home.master,
    now: Date.now,
    onError: () => {},
  });
  await registry.start(home.log.notifications);
  const sent = registry.sendingKey((await only()).id);
  await registry.close();
  return sent;
}

describe('a declared workspace', () => {
  it('is created with the settings of the file', async () => {
    const report = await start(
      acme('timezone: Asia/Tokyo', `licenseKeys: [${keyA}, ${keyB}]`, 'channels: [{ id: 3, name: App }]'),
    );
    expect(report.made).toEqual([{ label: 'acme/production', environment: 'production', keys: [] }]);
    const workspace = await only();
    expect(workspace).toMatchObject({
      owners: { settings: 'config', keys: 'config', policy: 'api' },
      settings: { timezone: 'Asia/Tokyo' },
    });
    expect([...workspace.channels.keys()]).toEqual([3]);
    expect(await keyStates()).toEqual(['a sent', 'b live']);
    expect(await sentKey()).toBe(keyA);
  });

  it('without keys gets a generated key, which the management API owns', async () => {
    const report = await start(acme());
    expect(report.made[0]?.keys).toMatchObject([{ text: expect.stringMatching(/^rf_live_/) }]);
    const { id } = await only();
    const second = await createKey(home.deps, id);
    await promoteKey(home.deps, id, second.id);
    await start(acme('blockHours: 1'));
    expect(await sentKey()).toBe(second.text);
  });

  it('is read-only for everyone else: settings, keys and policy', async () => {
    cpSync(starterPolicyFolder, join(folder, 'policy'), { recursive: true });
    await start(acme(`licenseKeys: [${keyA}]`, 'policy: policy'));
    const { id } = await only();
    const refused = { code: 'owner.config' };
    await expect(updateWorkspace(home.deps, id, { settings: { blockHours: 2 }, actor: 'api' })).rejects.toMatchObject(
      refused,
    );
    await expect(createKey(home.deps, id)).rejects.toMatchObject(refused);
    const policy = { files: readPolicyFolder(starterPolicyFolder), author: 'x', comment: '', actor: 'api' } as const;
    await expect(applyPolicy(home.deps, id, policy)).rejects.toMatchObject(refused);
  });

  it('that is unchanged is not applied again', async () => {
    const text = acme(`licenseKeys: [${keyA}]`);
    await start(text);
    const before = await home.pool.query(`select xmin, * from workspace`);
    expect(await start(text)).toEqual({
      made: [],
      applied: [],
      released: [],
      warnings: [],
    });
    expect((await home.pool.query(`select xmin, * from workspace`)).rows).toEqual(before.rows);
  });

  it('that changed is applied as a whole', async () => {
    await start(acme('timezone: Asia/Tokyo', 'blockHours: 2', 'channels: [{ id: 1, name: App }]'));
    expect(await start(acme('blockHours: 3'))).toMatchObject({ applied: ['acme/production'] });
    const workspace = await only();
    expect(workspace.settings).toMatchObject({ timezone: 'UTC', blockHours: 3 });
    expect(workspace.channels.size).toBe(0);
  });

  it('that existed before is then owned by the file', async () => {
    await firstStart(loadConfiguration({}, {}, folder), deps);
    const report = await start('workspaces:\n  - { name: default, environment: production, blockHours: 9 }\n');
    expect(report.applied).toEqual(['default/production']);
    const found = (await listWorkspaces(home.deps)).map((one) => [
      labelOf(one),
      one.owners.settings,
      one.settings.blockHours,
    ]);
    expect(found).toEqual([
      ['default/development', 'api', 24],
      ['default/production', 'config', 9],
    ]);
  });
});

describe('declared license keys', () => {
  it('are rotated by three edits: add, reorder, remove', async () => {
    await start(acme(`licenseKeys: [${keyA}]`));
    await start(acme(`licenseKeys: [${keyA}, ${keyB}]`));
    expect(await sentKey()).toBe(keyA);
    await start(acme(`licenseKeys: [${keyB}, ${keyA}]`));
    expect(await sentKey()).toBe(keyB);
    expect(await keyStates()).toEqual(['a live', 'b sent']);
    const { warnings } = await start(acme(`licenseKeys: [${keyB}]`));
    expect(warnings).toContain('acme/production: key …aaaa is no longer in the file and was revoked');
    expect(await keyStates()).toEqual(['a revoked', 'b sent']);
  });

  it('can both be replaced in one edit', async () => {
    await start(acme(`licenseKeys: [${keyA}, ${keyB}]`));
    await start(acme(`licenseKeys: [${keyC}, ${keyA}]`));
    expect(await keyStates()).toEqual(['a live', 'b revoked', 'c sent']);
  });

  it('that were revoked stay revoked after a restart and after a changed file', async () => {
    await start(acme(`licenseKeys: [${keyA}, ${keyB}]`));
    const { id } = await only();
    const [first] = await listLicenseKeys(home.pool, id);
    await revokeKey(home.deps, id, { id: first!.id, force: true });
    await start(acme(`licenseKeys: [${keyA}, ${keyB}]`));
    expect(await keyStates()).toEqual(['a revoked', 'b live']);
    const { warnings } = await start(acme(`licenseKeys: [${keyA}, ${keyB}]`, 'blockHours: 1'));
    expect(warnings[0]).toContain('the file contains key …aaaa, which was revoked and stays revoked');
    expect(await keyStates()).toEqual(['a revoked', 'b sent']);
  });

  it('of another workspace stop the start, and are not printed', async () => {
    await start(acme(`licenseKeys: [${keyA}]`));
    await start(acme('licenseKeys:', `  - ${keyB}`));
    const other = `workspaces:\n  - { name: zenith, environment: production }\n  - { name: zenith, environment: development, licenseKeys: [${keyA}] }`;
    await expect(start(other)).rejects.toThrow(
      'The license key …aaaa of zenith/development in the configuration file belongs, or belonged, to acme/production.',
    );
  });
});

describe('a workspace removed from the file', () => {
  it('keeps working, and is owned by the management API', async () => {
    await start(acme('blockHours: 2', `licenseKeys: [${keyA}]`));
    expect(await start('workspaces: []')).toMatchObject({ released: ['acme/production'] });
    const workspace = await only();
    expect(workspace).toMatchObject({
      owners: { settings: 'api', keys: 'api', policy: 'api' },
      settings: { blockHours: 2 },
    });
    expect(await sentKey()).toBe(keyA);
    await updateWorkspace(home.deps, workspace.id, { settings: { blockHours: 3 }, actor: 'api' });
    expect(await start('workspaces: []')).toMatchObject({ released: [] });
  });

  it('is owned by the file again when it returns', async () => {
    await start(acme('blockHours: 2'));
    const before = await only();
    await start('workspaces: []');
    await start(acme('blockHours: 2'));
    expect(await only()).toMatchObject({ id: before.id, owners: { settings: 'config' } });
  });

  it('is not released by a start without a file, which only warns', async () => {
    await start(acme());
    const { warnings, released } = await start('listen: { port: 0 }');
    expect(released).toEqual([]);
    expect(warnings[0]).toContain('acme/production belong to a configuration file');
    expect((await only()).owners.settings).toBe('config');
  });
});

describe('a declared policy', () => {
  it('is stored and activated; again only when its files change', async () => {
    mkdirSync(join(folder, 'policy'));
    const rule = (name: string): string =>
      `rules:\n  - reason: 1\n    name: ${name}\n    on: [operation]\n    when: order.amount > 1000\n    then: { action: 2, message: Stop }\n    mode: live\n`;
    writeFileSync(join(folder, 'policy', 'rules.yaml'), rule('large'));
    await start(acme('policy: policy'));
    await start(acme('policy: policy'));
    const { id } = await only();
    expect(await listPolicies(home.pool, id)).toMatchObject([
      { version: 1, active: true, author: 'configuration file' },
    ]);
    writeFileSync(join(folder, 'policy', 'rules.yaml'), rule('very large'));
    await start(acme('policy: policy'));
    expect(await listPolicies(home.pool, id)).toMatchObject([
      { version: 2, active: true },
      { version: 1, active: false },
    ]);
    const records = await home.log.read(id, 0, 10);
    expect(records.map(({ kind }) => kind)).toEqual(['settings', 'policy', 'policy']);
  });
});

describe('two processes that start at the same time', () => {
  it('create each workspace once', async () => {
    writeFileSync(join(folder, 'ringfence.yaml'), acme(`licenseKeys: [${keyA}]`));
    const configuration = loadConfiguration({ config: 'ringfence.yaml' }, {}, folder);
    const reports = await Promise.all([reconcile(configuration, deps), reconcile(configuration, deps)]);
    expect(reports.flatMap(({ made }) => made)).toHaveLength(1);
    await only();
  });
});

describe('a first start without configuration', () => {
  it('creates a development and a production workspace that observe, with keys and the starter policy', async () => {
    const configuration = loadConfiguration({}, {}, folder);
    const made = await firstStart(configuration, deps);
    expect(made).toMatchObject([
      { name: 'default', environment: 'development', licenseKey: expect.stringMatching(/^rf_test_/) },
      { name: 'default', environment: 'production', licenseKey: expect.stringMatching(/^rf_live_/) },
    ]);
    for (const workspace of await listWorkspaces(home.deps)) {
      expect(workspace).toMatchObject({
        policyVersion: 1,
        owners: { settings: 'api' },
        settings: { deliver: 'observe' },
      });
      expect((await home.log.read(workspace.id, 0, 10)).map(({ kind }) => kind)).toEqual(['settings', 'policy']);
    }
    expect(await firstStart(configuration, deps)).toEqual([]);
  });

  it.each([1, 2, 3, 4])(
    'that was interrupted at its record %i is completed by the next one, including the keys',
    async (cut) => {
      const configuration = loadConfiguration({}, {}, folder);
      let told = 0;
      const log: typeof home.deps.log = {
        createPartition: (id) => home.log.createPartition(id),
        appendWith: (...given) =>
          ++told < cut
            ? home.log.appendWith(...given)
            : Promise.reject(new LogUnavailableError('the database was killed')),
      };
      await expect(firstStart(configuration, { ...deps, log })).rejects.toMatchObject({ code: 'log.unavailable' });
      const made = await firstStart(configuration, deps);
      expect(made.map(({ licenseKey }) => licenseKey.slice(0, 8))).toEqual(['rf_test_', 'rf_live_']);
      for (const workspace of await listWorkspaces(home.deps)) {
        expect(workspace).toMatchObject({ policyVersion: 1, owners: { settings: 'api' } });
        expect((await home.log.read(workspace.id, 0, 10)).map(({ kind }) => kind)).toEqual(['settings', 'policy']);
      }
      expect(await firstStart(configuration, deps)).toEqual([]);
    },
  );

  it('creates nothing if the file declares workspaces', async () => {
    writeFileSync(join(folder, 'ringfence.yaml'), 'workspaces: []');
    expect(await firstStart(loadConfiguration({ config: 'ringfence.yaml' }, {}, folder), deps)).toEqual([]);
    expect(await listWorkspaces(home.deps)).toEqual([]);
  });
});

/** Changes that a start makes according to the configuration file are recorded in the audit log. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogUnavailableError } from '@ringfence/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/access/audit/audit-entry.ts';
import { settleIntents } from '../../src/access/audit/audit-intent.ts';
import { auditEntryOf, listAudit } from '../../src/access/audit/audit-log.ts';
import { verifyAudit } from '../../src/access/audit/verify-audit.ts';
import { firstStart } from '../../src/config/first-start.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { reconcile, type ReconcileReport } from '../../src/config/reconcile.ts';
import { listLicenseKeys } from '../../src/tenancy/workspaces/license-keys.ts';
import { listWorkspaces } from '../../src/tenancy/workspaces/workspace-store.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';

let home: Installation;
let folder: string;
beforeEach(async () => {
  home = await makeInstallation();
  folder = mkdtempSync(join(tmpdir(), 'ringfence-file-audit-'));
});
afterEach(async () => {
  await home.close();
  rmSync(folder, { recursive: true, force: true });
});

const [keyA, keyB] = ['a'.repeat(40), 'b'.repeat(40)] as const;
const atMs = Date.UTC(2026, 10, 22, 8);

/** Starts with a file that declares acme with these lines, or no workspace. */
function start(lines: readonly string[] | undefined, log = home.deps.log): Promise<ReconcileReport> {
  const acme = ['  - name: acme', '    environment: production'];
  const text = lines === undefined ? 'workspaces: []' : ['workspaces:', ...acme, ...lines.map((line) => `    ${line}`)];
  writeFileSync(join(folder, 'bank.yaml'), [text].flat().join('\n'));
  return reconcile(loadConfiguration({ config: 'bank.yaml' }, {}, folder), { ...home.deps, log, now: () => atMs });
}

/** The audit entries since the last call, oldest first. */
let seen = 0;
beforeEach(() => void (seen = 0));
async function entries(): Promise<readonly AuditEntry[]> {
  const rows = await listAudit(home.pool, {}, { limit: 100, after: seen });
  seen = rows.at(-1)?.seq ?? seen;
  return rows.map(auditEntryOf);
}
const actions = async (): Promise<readonly string[]> => (await entries()).map(({ action }) => action);

function writePolicy(name: string): void {
  mkdirSync(join(folder, 'policy'), { recursive: true });
  const rule = `rules:\n  - reason: 1\n    name: ${name}\n    on: [operation]\n    when: order.amount > 1000\n    then: { action: 2, message: Stop }\n    mode: live\n`;
  writeFileSync(join(folder, 'policy', 'rules.yaml'), rule);
}

describe('a start', () => {
  it('records what it created: by the file, from this machine, under one request id', async () => {
    writePolicy('large');
    await start([`licenseKeys: [${keyA}]`, 'policy: policy']);
    const [workspace] = await listWorkspaces(home.deps);
    const found = await entries();
    const by = {
      atMs,
      workspaceId: workspace!.id,
      actorKind: 'machine',
      actor: 'file:bank.yaml',
      address: `start on ${hostname()}`,
      requestId: expect.stringMatching(/^start_[a-z2-7]{16}$/),
    };
    const file = join(folder, 'bank.yaml');
    expect(found).toMatchObject([
      { ...by, action: 'createWorkspace', target: 'acme/production', detail: { file, after: { name: 'acme' } } },
      { ...by, action: 'applyPolicy', detail: { file, before: null, after: 1, folder: join(folder, 'policy') } },
    ]);
    expect(found[0]!.requestId).toBe(found[1]!.requestId);
    expect(JSON.stringify(found)).not.toContain(keyA);
    expect((await verifyAudit(home.pool, home.master)).broken).toBeUndefined();
  });

  it('that creates the first workspaces records them, and the next start records nothing', async () => {
    const first = (): ReturnType<typeof firstStart> =>
      firstStart(loadConfiguration({}, {}, folder), { ...home.deps, now: () => atMs });
    const made = await first();
    const ids = new Map((await listWorkspaces(home.deps)).map(({ id, environment }) => [environment, id]));
    const found = await entries();
    expect(found).toMatchObject(
      (['development', 'production'] as const).flatMap((environment) => {
        const by = { atMs, workspaceId: ids.get(environment), actorKind: 'machine', actor: 'first start' };
        const after = { name: 'default', environment };
        return [
          { ...by, action: 'createWorkspace', target: `default/${environment}`, detail: { after } },
          { ...by, action: 'applyPolicy', detail: { before: null, after: 1, comment: 'starter policy' } },
        ];
      }),
    );
    for (const { licenseKey } of made) expect(JSON.stringify(found)).not.toContain(licenseKey);
    await first();
    expect(await entries()).toEqual([]);
    expect((await verifyAudit(home.pool, home.master)).broken).toBeUndefined();
  });

  it('records nothing if the file is unchanged, or only written differently', async () => {
    writePolicy('large');
    await start(['blockHours: 2', `licenseKeys: [${keyA}]`, 'policy: policy']);
    await entries();
    await start(['blockHours: 2', `licenseKeys: [${keyA}]`, 'policy: policy']);
    expect(await start([`licenseKeys: [${keyA}]`, 'policy: ./policy/', 'blockHours: 2', 'channels: []'])).toMatchObject(
      { warnings: [] },
    );
    expect(await entries()).toEqual([]);
    expect((await home.pool.query('select 1 from audit_intent')).rows).toEqual([]);
  });

  it('records the state before and after', async () => {
    await start(['blockHours: 2']);
    await entries();
    await start(['blockHours: 3', 'channels: [{ id: 1, name: App }]']);
    expect(await entries()).toMatchObject([
      {
        action: 'changeWorkspace',
        detail: {
          before: { settings: { blockHours: 2 }, channels: [] },
          after: { settings: { blockHours: 3 }, channels: [{ id: 1, name: 'App' }] },
        },
      },
    ]);
  });

  it('records that a password changed, but not the password', async () => {
    const proxied = (password: string): readonly string[] => [
      `webhook: { url: "https://bank.example/hook", proxy: "http://ringfence:${password}@proxy.example:3128" }`,
    ];
    await start(proxied('first-secret'));
    await start(proxied('second-secret'));
    const found = await entries();
    expect(found.map(({ action }) => action)).toEqual(['createWorkspace', 'changeWorkspace']);
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('records each key by its id: created, sent, revoked', async () => {
    await start([`licenseKeys: [${keyA}]`]);
    await entries();
    await start([`licenseKeys: [${keyB}]`]);
    const [workspace] = await listWorkspaces(home.deps);
    const [first, second] = await listLicenseKeys(home.pool, workspace!.id);
    expect((await entries()).map(({ action, target, detail }) => [action, target, detail['hint']])).toEqual([
      ['revokeKey', first!.id, '…aaaa'],
      ['createKey', second!.id, '…bbbb'],
      ['promoteKey', second!.id, '…bbbb'],
    ]);
  });

  it('records that a workspace was removed from the file, and that it came back', async () => {
    await start(['blockHours: 2', `licenseKeys: [${keyA}]`]);
    await entries();
    await start(undefined);
    const [config, api] = [
      { settings: 'config', keys: 'config', policy: 'api' },
      { settings: 'api', keys: 'api', policy: 'api' },
    ];
    expect(await entries()).toMatchObject([
      { action: 'changeWorkspace', detail: { before: { owners: config }, after: { owners: api } } },
    ]);
    await start(undefined);
    expect(await entries()).toEqual([]);
    await start(['blockHours: 2', `licenseKeys: [${keyA}]`]);
    expect(await entries()).toMatchObject([
      { action: 'changeWorkspace', detail: { before: { owners: api }, after: { owners: config } } },
    ]);
  });

  it('that was interrupted has an entry, and the next start completes it without a second one', async () => {
    const cut: typeof home.deps.log = {
      createPartition: (id) => home.log.createPartition(id),
      appendWith: () => Promise.reject(new LogUnavailableError('the database was killed')),
    };
    await expect(start(['blockHours: 2'], cut)).rejects.toMatchObject({ code: 'log.unavailable' });
    expect(await entries()).toMatchObject([{ action: 'createWorkspace', detail: { unfinished: true } }]);
    await start(['blockHours: 2']);
    await settleIntents(home);
    expect(await actions()).toEqual([]);
  });
});

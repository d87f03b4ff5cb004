/** A workspace of a release without device keys. */
import { hostname } from 'node:os';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { auditEntryOf, listAudit } from '../../src/access/audit/audit-log.ts';
import { verifyAudit } from '../../src/access/audit/verify-audit.ts';
import { ensureDeviceKeys } from '../../src/config/ensure-device-keys.ts';
import { type DeviceKeySet, deviceKeySet } from '../../src/tenancy/workspaces/device-keys.ts';
import { createWorkspace, readWorkspace } from '../../src/tenancy/workspaces/workspace-store.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';

const atMs = Date.UTC(2026, 10, 24, 8);

let home: Installation;
let workspaceId: string;
beforeEach(async () => {
  home = await makeInstallation();
  const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
  const { workspace } = await createWorkspace(home.deps, { name: 'acme', environment: 'production', owners });
  workspaceId = workspace.id;
  await home.pool.query(`delete from workspace_secret where workspace_id = $1 and name like 'device%'`, [workspaceId]);
});
afterEach(() => home.close());

const mend = (): Promise<readonly string[]> => ensureDeviceKeys({ ...home.deps, now: () => atMs });
const keys = async (): Promise<DeviceKeySet['keys']> => deviceKeySet(await readWorkspace(home.deps, workspaceId)).keys;

it('a workspace without a device key gets one, once, with an audit entry', async () => {
  const both = await Promise.all([mend(), mend()]);
  expect(both.flat()).toEqual([workspaceId]);
  expect(await mend()).toEqual([]);
  const made = await keys();
  expect(made).toHaveLength(1);
  expect((await listAudit(home.pool, {}, { limit: 10 })).map(auditEntryOf)).toEqual([
    {
      seq: 1,
      atMs,
      workspaceId,
      actorKind: 'machine',
      actor: 'start',
      action: 'rotateDeviceKey',
      target: made[0]!.kid,
      address: `start on ${hostname()}`,
      requestId: expect.stringMatching(/^start_/),
      detail: {},
    },
  ]);
  expect((await verifyAudit(home.pool)).broken).toBeUndefined();
});

it('no device key is created if its audit entry cannot be written, until the next start', async () => {
  const head = await home.pool.query<{ seq: number; hash: Buffer }>('delete from audit_head returning seq, hash');
  await expect(mend()).rejects.toThrow('the audit log has its head');
  expect(await keys()).toEqual([]);
  const { seq, hash } = head.rows[0]!;
  await home.pool.query('insert into audit_head (seq, hash) values ($1, $2)', [seq, hash]);
  expect(await mend()).toEqual([workspaceId]);
});

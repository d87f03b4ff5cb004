/**
 * The keys of a workspace that open device tokens, and how they are replaced:
 *
 *   one --rotate--> pages get the new one first, both open --rotate--> a newer one, and the new one of before
 *
 * A page opens with the key that it has, which may be a copy of long ago: the one before opens until the next rotation.
 */
import type { ClientBase } from 'pg';
import { makeDeviceKey, type PublicDeviceJwk } from '@ringfence/intel';
import { open } from '../../platform/secrets/seal.ts';
import { knownKey } from '../../platform/secrets/sealing-key.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { WorkspaceDeps } from './workspace-deps.ts';
import { deviceKeyNames, putDeviceKey, putSecret, secretContext } from './workspace-secrets.ts';
import { lockWorkspace, readWorkspace } from './workspace-store.ts';
import type { Workspace } from './workspace.ts';

type Deps = Pick<WorkspaceDeps, 'pool' | 'master'>;

/** What pages encrypt to: a JWK set (RFC 7517). The first is the one to take. */
export interface DeviceKeySet {
  readonly keys: readonly PublicDeviceJwk[];
}

export function deviceKeySet({ secrets }: Pick<Workspace, 'secrets'>): DeviceKeySet {
  return { keys: secrets.deviceKeys.map(({ publicJwk }) => publicJwk) };
}

/**
 * Makes a new key, which is the first of the set from now on. The one before opens beside it; the one before that opens
 * no more.
 *
 * @param alone nothing but the new one opens, because a private key leaked
 * @throws Problem `thing.unknown`
 */
export async function rotateDeviceKey(deps: Deps, workspaceId: string, alone: boolean): Promise<DeviceKeySet> {
  await inTransaction(deps.pool, async (client) => {
    await lockWorkspace(client, workspaceId, deps);
    await replaceKey(client, { workspaceId, deps, alone });
  });
  return deviceKeySet(await readWorkspace(deps, workspaceId));
}

/**
 * Rotates the key that pages take, when it is older than half the time for which tokens may be readable: two such keys
 * follow each other within that time, and then the first opens no more.
 *
 * @returns whether it was rotated
 */
export async function renewDeviceKey(deps: Deps, workspaceId: string, keptForMs: number): Promise<boolean> {
  return inTransaction(deps.pool, async (client) => {
    await lockWorkspace(client, workspaceId, deps);
    const { rowCount } = await client.query(
      `select 1 from workspace_secret where workspace_id = $1 and name = 'device' and retired_at is null
        and made_at <= now() - $2::float8 * interval '1 millisecond'`,
      [workspaceId, keptForMs / 2],
    );
    if (rowCount === 0) return false;
    await replaceKey(client, { workspaceId, deps, alone: false });
    return true;
  });
}

async function replaceKey(
  client: ClientBase,
  { workspaceId, deps, alone }: { readonly workspaceId: string; readonly deps: Deps; readonly alone: boolean },
): Promise<void> {
  const present = alone ? undefined : await readPresent(client, workspaceId, deps);
  await client.query(`delete from workspace_secret where workspace_id = $1 and name = any($2)`, [
    workspaceId,
    deviceKeyNames,
  ]);
  const { master } = deps;
  await putDeviceKey(client, { workspaceId, name: 'device', jwk: makeDeviceKey(), master });
  if (present !== undefined) await putSecret(client, { workspaceId, name: 'deviceBefore', value: present, master });
}

/** The present key as it is kept; `undefined` when there is none yet. */
async function readPresent(client: ClientBase, workspaceId: string, { master }: Deps): Promise<Buffer | undefined> {
  const found = await client.query<{ master_key_id: string; sealed: Buffer }>(
    `select master_key_id, sealed from workspace_secret
      where workspace_id = $1 and name = 'device' and retired_at is null`,
    [workspaceId],
  );
  const row = found.rows[0];
  if (row === undefined) return undefined;
  return open(knownKey(master, row.master_key_id).key, row.sealed, secretContext(workspaceId, 'device'));
}

/**
 * The keys of a workspace that decrypt device tokens, and their rotation:
 *
 *   key 1 --rotate--> key 2 for pages, keys 2 and 1 decrypt --rotate--> key 3 for pages, keys 3 and 2 decrypt
 *
 * A page may use an old copy of the key set, so the previous key keeps decrypting until the next rotation.
 */
import type { ClientBase } from 'pg';
import { makeDeviceKey, type PublicDeviceJwk } from '@ringfence/intel';
import { open } from '../../platform/secrets/seal.ts';
import { knownKey } from '../../platform/secrets/sealing-key.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { WorkspaceDeps } from './workspace-deps.ts';
import { deviceKeyNames, putDeviceKey, putSecret, secretPlace } from './workspace-secrets.ts';
import { lockWorkspace, readWorkspace } from './workspace-store.ts';
import type { Workspace } from './workspace.ts';

type Deps = Pick<WorkspaceDeps, 'pool' | 'master'>;

/** The public keys for pages: a JWK set (RFC 7517). Pages encrypt with the first. */
export interface DeviceKeySet {
  readonly keys: readonly PublicDeviceJwk[];
}

export function deviceKeySet({ secrets }: Pick<Workspace, 'secrets'>): DeviceKeySet {
  return { keys: secrets.deviceKeys.map(({ publicJwk }) => publicJwk) };
}

/**
 * Generates a new key, which becomes the first of the set. The previous key keeps decrypting; the one before it stops.
 *
 * @param alone only the new key decrypts, because a private key leaked
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
 * Rotates the device key if it is older than half the retention period of device tokens. A key stops decrypting after
 * two rotations, so tokens become unreadable within that period.
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

/** The present key as stored; `undefined` if there is none yet. */
async function readPresent(client: ClientBase, workspaceId: string, { master }: Deps): Promise<Buffer | undefined> {
  const found = await client.query<{ version: number; master_key_id: string; sealed: Buffer }>(
    `select version, master_key_id, sealed from workspace_secret
      where workspace_id = $1 and name = 'device' and retired_at is null`,
    [workspaceId],
  );
  const row = found.rows[0];
  if (row === undefined) return undefined;
  return open(knownKey(master, row.master_key_id).key, row.sealed, secretPlace(workspaceId, 'device', row.version));
}

import { addLicenseKey, type NewLicenseKey, promoteLicenseKey, revokeLicenseKey } from './license-keys.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { WorkspaceDeps } from './workspace-deps.ts';
import { lockWorkspace, mayChange } from './workspace-store.ts';

type Deps = Pick<WorkspaceDeps, 'pool' | 'master' | 'cell'>;

/**
 * Creates a license key on behalf of the management API or a command.
 *
 * @param text an existing key; if absent, a key is generated
 * @throws Problem `owner.config`, `request.invalid`, `state.conflict`, `thing.unknown`
 */
export function createKey(deps: Deps, workspaceId: string, text?: string): Promise<NewLicenseKey> {
  return inTransaction(deps.pool, async (client) => {
    const workspace = await lockWorkspace(client, workspaceId, deps);
    mayChange(workspace, 'keys', 'api');
    const { environment } = workspace;
    return addLicenseKey(client, { workspaceId, environment, text, master: deps.master, cell: deps.cell });
  });
}

/** @throws Problem `owner.config`, `state.conflict`, `thing.unknown` */
export function promoteKey(deps: Deps, workspaceId: string, keyId: string): Promise<void> {
  return inTransaction(deps.pool, async (client) => {
    mayChange(await lockWorkspace(client, workspaceId, deps), 'keys', 'api');
    await promoteLicenseKey(client, workspaceId, keyId);
  });
}

/**
 * Revokes a license key, even one that the file declares: a leaked key must be revocable immediately, whatever manages it.
 * The file does not make it live again.
 *
 * @throws Problem `state.conflict`, `thing.unknown`
 */
export function revokeKey(
  deps: Deps,
  workspaceId: string,
  key: { readonly id: string; readonly force: boolean },
): Promise<void> {
  return inTransaction(deps.pool, async (client) => {
    await lockWorkspace(client, workspaceId, deps);
    await revokeLicenseKey(client, workspaceId, key);
  });
}

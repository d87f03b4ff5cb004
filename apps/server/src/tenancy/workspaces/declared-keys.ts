import type { ClientBase, Pool } from 'pg';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { licenseKeyHash, licenseKeyHint } from '../../platform/secrets/license-key.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import type { CellPlace } from '../../platform/database/cell.ts';
import { readOwners } from '../cells/key-owners.ts';
import { addLicenseKey, promoteLicenseKey, revokeLicenseKey } from './license-keys.ts';
import type { Environment } from './workspace.ts';

/** The result of a synchronization, by key hints. */
export interface KeySync {
  /** Keys that were live but are no longer in the file. */
  readonly revoked: readonly string[];
  /** Revoked keys that are in the file; they stay revoked. */
  readonly stillRevoked: readonly string[];
}

interface DeclaredKeys {
  readonly workspaceId: string;
  readonly environment: Environment;
  readonly master: MasterKeys;
  readonly cell: CellPlace | undefined;
  /** One or two; the first is sent. */
  readonly declared: readonly string[];
}

interface KnownKey {
  readonly id: string;
  readonly hash: Buffer;
  readonly hint: string;
  readonly revoked: boolean;
}

/** @throws OperatorError if a declared key belongs, or belonged, to a workspace other than `label` */
export async function refuseForeignKeys(home: Pool, label: string, declared: readonly string[]): Promise<void> {
  const owners = await readOwners(home, declared.map(licenseKeyHash));
  const foreign = owners.find((one) => one.label !== label);
  if (foreign === undefined) return;
  const text = declared.find((one) => licenseKeyHash(one).equals(foreign.hash))!;
  throw new OperatorError(
    `The license key ${licenseKeyHint(text)} of ${label} in the configuration file belongs, or belonged, to ${foreign.label}.`,
    'Give every workspace its own key. A license key cannot be used for two workspaces, nor again after it was revoked.',
  );
}

/**
 * Makes the live keys of a workspace equal to the declared ones: other keys are revoked, new ones are added, and the
 * first live key is sent with webhooks. The caller has locked the workspace and refused keys of other workspaces.
 */
export async function syncLicenseKeys(client: ClientBase, keys: DeclaredKeys): Promise<KeySync> {
  const { workspaceId, environment, master, cell, declared } = keys;
  const wanted = declared.map((text) => ({ text, hash: licenseKeyHash(text) }));
  const known = await client.query<KnownKey>(
    `select id, hash, hint, revoked_at is not null as revoked from license_key where workspace_id = $1`,
    [workspaceId],
  );
  const dropped = known.rows.filter((row) => !row.revoked && !wanted.some(({ hash }) => hash.equals(row.hash)));
  for (const row of dropped) await revokeLicenseKey(client, workspaceId, { id: row.id, force: true });

  const stillRevoked: string[] = [];
  let sent: string | undefined;
  for (const { text, hash } of wanted) {
    const row = known.rows.find((one) => one.hash.equals(hash));
    if (row?.revoked === true) {
      stillRevoked.push(row.hint);
    } else {
      const id = row?.id ?? (await addLicenseKey(client, { workspaceId, environment, text, master, cell })).id;
      sent ??= id;
    }
  }
  if (sent !== undefined) await promoteLicenseKey(client, workspaceId, sent);
  return { revoked: dropped.map(({ hint }) => hint), stillRevoked };
}

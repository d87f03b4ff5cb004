import type { ClientBase, Pool } from 'pg';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { licenseKeyHash, licenseKeyHint } from '../../platform/secrets/license-key.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { addLicenseKey, promoteLicenseKey, revokeLicenseKey } from './license-keys.ts';
import type { Environment } from './workspace.ts';

/** What became of keys, by their hints. */
export interface KeySync {
  /** Live keys that the file does not name any more. */
  readonly revoked: readonly string[];
  /** Keys that the file names and that were revoked: they stay so. */
  readonly stillRevoked: readonly string[];
}

interface DeclaredKeys {
  readonly workspaceId: string;
  readonly environment: Environment;
  readonly master: MasterKeys;
  /** One or two; the first is sent. */
  readonly declared: readonly string[];
}

interface KnownKey {
  readonly id: string;
  readonly hash: Buffer;
  readonly hint: string;
  readonly revoked: boolean;
}

/** @throws OperatorError when a declared key is, or was, another workspace's than that of `label` */
export async function refuseForeignKeys(pool: Pool, label: string, declared: readonly string[]): Promise<void> {
  const found = await pool.query<{ hash: Buffer; label: string }>(
    `select k.hash, w.name || '/' || w.environment as label from license_key k join workspace w on w.id = k.workspace_id
      where k.hash = any($1) and w.name || '/' || w.environment <> $2`,
    [declared.map(licenseKeyHash), label],
  );
  const foreign = found.rows[0];
  if (foreign === undefined) return;
  const text = declared.find((one) => licenseKeyHash(one).equals(foreign.hash))!;
  throw new OperatorError(
    `The license key ${licenseKeyHint(text)} that the configuration file gives ${label} is, or was, one of ${foreign.label}.`,
    'Give every workspace a key of its own. A license key is used by one workspace, and never again after its end.',
  );
}

/**
 * Makes the live keys of a workspace, which the caller has locked, those that the file names: others are revoked, new
 * ones are added, and the first that is live is the one that is sent. None of them is another workspace's.
 */
export async function syncLicenseKeys(client: ClientBase, keys: DeclaredKeys): Promise<KeySync> {
  const { workspaceId, environment, master, declared } = keys;
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
      const id = row?.id ?? (await addLicenseKey(client, { workspaceId, environment, text, master })).id;
      sent ??= id;
    }
  }
  if (sent !== undefined) await promoteLicenseKey(client, workspaceId, sent);
  return { revoked: dropped.map(({ hint }) => hint), stillRevoked };
}

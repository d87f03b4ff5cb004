/**
 * License keys of a workspace: at most two live ones, so that a bank can move from one to the other.
 *
 *   created --> live --promote--> live and sent --(another is promoted)--> live --revoke--> revoked, for ever
 *
 * The key that is sent with webhooks changes only by `promote`. A key's text is shown once, when it is generated;
 * afterwards its hash finds it and its sealed copy is sent. A revocation destroys the copy and keeps the hash.
 */
import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { checkLicenseKey, licenseKeyHash, licenseKeyHint, makeLicenseKey } from '../../platform/secrets/license-key.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { randomId } from '../../platform/secrets/random-id.ts';
import { open, seal } from '../../platform/secrets/seal.ts';
import { knownKey, sealingKey } from '../../platform/secrets/sealing-key.ts';
import type { Environment } from './workspace.ts';

const liveKeysMax = 2;

/** A live or revoked key, without what would open anything. */
export interface LicenseKey {
  readonly id: string;
  readonly hint: string;
  readonly origin: 'generated' | 'brought';
  readonly state: 'sent' | 'live' | 'revoked';
  readonly createdAtMs: number;
  readonly revokedAtMs: number | undefined;
  /** At most 30 s behind. */
  readonly lastUsedAtMs: number | undefined;
}

export interface NewLicenseKey {
  readonly id: string;
  /** The key itself: to be shown once. */
  readonly text: string;
  readonly origin: 'generated' | 'brought';
}

interface KeyRow {
  readonly id: string;
  readonly hint: string;
  readonly origin: 'generated' | 'brought';
  readonly sending: boolean;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
}

/** All keys of a workspace, the oldest first. */
export async function listLicenseKeys(
  database: Pool | ClientBase,
  workspaceId: string,
): Promise<readonly LicenseKey[]> {
  const found = await database.query<KeyRow>(
    `select k.id, k.hint, k.origin, k.sending, k.created_at, k.revoked_at, u.last_used_at
       from license_key k left join license_key_use u on u.key_id = k.id
      where k.workspace_id = $1 order by k.created_at, k.id`,
    [workspaceId],
  );
  return found.rows.map((row) => ({
    id: row.id,
    hint: row.hint,
    origin: row.origin,
    state: row.revoked_at !== null ? 'revoked' : row.sending ? 'sent' : 'live',
    createdAtMs: row.created_at.getTime(),
    revokedAtMs: row.revoked_at?.getTime(),
    lastUsedAtMs: row.last_used_at?.getTime(),
  }));
}

interface WantedKey {
  readonly workspaceId: string;
  readonly environment: Environment;
  /** A key that is brought along; left out: one is generated. */
  readonly text: string | undefined;
  readonly master: MasterKeys;
}

/**
 * Adds a key to a workspace that the caller has locked. It is sent when no other is; else only after `promote`.
 *
 * @throws Problem `request.invalid` for a text that cannot be a key, `state.conflict` when there are two live keys, or
 *   the text is or was a key already, anywhere
 */
export async function addLicenseKey(client: ClientBase, wanted: WantedKey): Promise<NewLicenseKey> {
  const { workspaceId, master } = wanted;
  const text = wanted.text ?? makeLicenseKey(wanted.environment);
  const origin = wanted.text === undefined ? 'generated' : 'brought';
  const expected = licenseKeyRefusal(text, wanted.environment);
  if (expected !== undefined)
    throw new Problem('request.invalid', `The license key is not usable: expected ${expected}.`);
  const live = await client.query<{ sending: boolean }>(
    `select sending from license_key where workspace_id = $1 and revoked_at is null`,
    [workspaceId],
  );
  if (live.rows.length >= liveKeysMax) {
    throw new Problem('state.conflict', `There are ${liveKeysMax} live keys, and that is the most. Revoke one first.`);
  }
  const id = `key_${randomId(12)}`;
  const sealing = await sealingKey(client, master);
  const inserted = await client.query(
    `insert into license_key (id, workspace_id, hash, hint, origin, sending, master_key_id, sealed)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (hash) do nothing`,
    [
      id,
      workspaceId,
      licenseKeyHash(text),
      licenseKeyHint(text),
      origin,
      !live.rows.some(({ sending }) => sending),
      sealing.id,
      seal(sealing.key, Buffer.from(text), keyContext(workspaceId)),
    ],
  );
  if (inserted.rowCount === 0) {
    throw new Problem(
      'state.conflict',
      'This key is in use, or was revoked: a license key is used once, by one workspace.',
    );
  }
  return { id, text, origin };
}

/** Why the text cannot be a key of that environment; completes "expected …". Says nothing of the text. */
export function licenseKeyRefusal(text: string, environment: Environment): string | undefined {
  const check = checkLicenseKey(text);
  if (check.kind === 'refused') return check.expected;
  if (check.kind === 'brought' || check.environment === environment) return undefined;
  return `a ${environment} key, and this is one of ${check.environment}`;
}

/** Where a sealed key belongs. */
export function keyContext(workspaceId: string): string {
  return `license-key:${workspaceId}`;
}

/** A license key as it is stored. */
export interface SealedKey {
  readonly workspaceId: string;
  readonly masterKeyId: string;
  readonly sealed: Buffer;
}

export function openLicenseKey(master: MasterKeys, { workspaceId, masterKeyId, sealed }: SealedKey): string {
  return open(knownKey(master, masterKeyId).key, sealed, keyContext(workspaceId)).toString('utf8');
}

/** The text of the key that is sent with webhooks; `undefined` when none is. */
export async function readSendingKey(
  database: Pool | ClientBase,
  master: MasterKeys,
  workspaceId: string,
): Promise<string | undefined> {
  const found = await database.query<{ master_key_id: string; sealed: Buffer }>(
    `select master_key_id, sealed from license_key where workspace_id = $1 and sending`,
    [workspaceId],
  );
  const row = found.rows[0];
  if (row === undefined) return undefined;
  return openLicenseKey(master, { workspaceId, masterKeyId: row.master_key_id, sealed: row.sealed });
}

/**
 * From now on this key is the one that is sent. Nothing happens when it is already.
 *
 * @throws Problem `thing.unknown`, `state.conflict` when it was revoked
 */
export async function promoteLicenseKey(client: ClientBase, workspaceId: string, keyId: string): Promise<void> {
  const key = await find(client, workspaceId, keyId);
  if (key.state === 'revoked')
    throw new Problem('state.conflict', `Key ${keyId} was revoked; a revoked key never revives.`);
  if (key.state === 'sent') return;
  await client.query(`update license_key set sending = false where workspace_id = $1 and sending`, [workspaceId]);
  await client.query(`update license_key set sending = true where id = $1`, [keyId]);
}

/**
 * Ends a key for ever: within 5 s no process takes or sends it any more. Nothing happens when it is revoked already.
 *
 * @param force also when it is the key that is sent: webhooks then wait until another key is promoted or made
 * @throws Problem `thing.unknown`, `state.conflict` when it is the one that is sent and `force` is not given
 */
export async function revokeLicenseKey(
  client: ClientBase,
  workspaceId: string,
  key: { readonly id: string; readonly force: boolean },
): Promise<void> {
  const found = await find(client, workspaceId, key.id);
  if (found.state === 'revoked') return;
  if (found.state === 'sent' && !key.force) {
    throw new Problem(
      'state.conflict',
      `Key ${key.id} is the one that is sent with webhooks. Promote another one first, or force it.`,
    );
  }
  await client.query(`update license_key set revoked_at = now(), sealed = null, sending = false where id = $1`, [
    key.id,
  ]);
}

async function find(client: ClientBase, workspaceId: string, keyId: string): Promise<LicenseKey> {
  const key = (await listLicenseKeys(client, workspaceId)).find(({ id }) => id === keyId);
  if (key === undefined) throw new Problem('thing.unknown', `There is no key "${keyId}" in workspace ${workspaceId}.`);
  return key;
}

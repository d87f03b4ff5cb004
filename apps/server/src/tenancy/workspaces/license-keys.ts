/**
 * License keys of a workspace: at most two are live, so that a bank can move from one to the other.
 *
 *   created --> live --promote--> live and sent --(another is promoted)--> live --revoke--> revoked for good
 *
 * The key that is sent with webhooks changes only by `promote`. A key's text is shown once, when it is generated.
 * Afterwards requests are matched by its hash, and webhooks carry its encrypted copy. A revocation destroys the copy
 * and keeps the hash.
 */
import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { checkLicenseKey, licenseKeyHash, licenseKeyHint, makeLicenseKey } from '../../platform/secrets/license-key.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { randomId } from '../../platform/secrets/random-id.ts';
import { open, type Place, seal } from '../../platform/secrets/seal.ts';
import { knownKey, sealingKey } from '../../platform/secrets/sealing-key.ts';
import type { CellPlace } from '../../platform/database/cell.ts';
import { takeKey } from '../cells/key-owners.ts';
import type { Environment } from './workspace.ts';

const liveKeysMax = 2;

/** A live or revoked key, without its secret text. */
export interface LicenseKey {
  readonly id: string;
  readonly hint: string;
  readonly origin: 'generated' | 'brought';
  readonly state: 'sent' | 'live' | 'revoked';
  readonly createdAtMs: number;
  readonly revokedAtMs: number | undefined;
  /** Lags by at most 30 s. */
  readonly lastUsedAtMs: number | undefined;
}

export interface NewLicenseKey {
  readonly id: string;
  /** The key itself, shown once. */
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

/** All keys of a workspace, oldest first. */
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
  /** An existing key; if `undefined`, a key is generated. */
  readonly text: string | undefined;
  readonly master: MasterKeys;
  /** The further database of the workspace; absent at home. */
  readonly cell: CellPlace | undefined;
}

/**
 * Adds a key to a workspace that the caller has locked. It is sent with webhooks if no other key is; otherwise only
 * after `promote`.
 *
 * @throws Problem `request.invalid` if the text cannot be a key; `state.conflict` if there are two live keys, or if the
 *   text is or was a key of any workspace
 */
export async function addLicenseKey(client: ClientBase, wanted: WantedKey): Promise<NewLicenseKey> {
  const { workspaceId, master, cell } = wanted;
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
    throw new Problem('state.conflict', `A workspace has at most ${liveKeysMax} live keys. Revoke one first.`);
  }
  const id = `key_${randomId(12)}`;
  const hash = licenseKeyHash(text);
  if (!(await takeKey(cell?.home ?? client, { hash, workspaceId }))) throw keyTaken();
  const sealing = await sealingKey(client, master);
  const inserted = await client.query(
    `insert into license_key (id, workspace_id, hash, hint, origin, sending, master_key_id, sealed)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (hash) do nothing`,
    [
      id,
      workspaceId,
      hash,
      licenseKeyHint(text),
      origin,
      !live.rows.some(({ sending }) => sending),
      sealing.id,
      seal(sealing.key, Buffer.from(text), keyPlace(workspaceId, id)),
    ],
  );
  if (inserted.rowCount === 0) throw keyTaken();
  return { id, text, origin };
}

function keyTaken(): Problem {
  return new Problem(
    'state.conflict',
    'This key is in use or was revoked. A license key cannot be used again, nor for another workspace.',
  );
}

/** Why the text cannot be a key of that environment; completes "expected …". Does not reveal the text. */
export function licenseKeyRefusal(text: string, environment: Environment): string | undefined {
  const check = checkLicenseKey(text);
  if (check.kind === 'refused') return check.expected;
  if (check.kind === 'brought' || check.environment === environment) return undefined;
  return `a ${environment} key; this is a ${check.environment} key`;
}

export function keyPlace(workspaceId: string, keyId: string): Place {
  return { of: `license-key:${workspaceId}`, row: keyId };
}

/** A license key as it is stored. */
export interface SealedKey {
  readonly id: string;
  readonly workspaceId: string;
  readonly masterKeyId: string;
  readonly sealed: Buffer;
}

export function openLicenseKey(master: MasterKeys, { id, workspaceId, masterKeyId, sealed }: SealedKey): string {
  return open(knownKey(master, masterKeyId).key, sealed, keyPlace(workspaceId, id)).toString('utf8');
}

/** The text of the key that is sent with webhooks; `undefined` if there is none. */
export async function readSendingKey(
  database: Pool | ClientBase,
  master: MasterKeys,
  workspaceId: string,
): Promise<string | undefined> {
  const found = await database.query<{ id: string; master_key_id: string; sealed: Buffer }>(
    `select id, master_key_id, sealed from license_key where workspace_id = $1 and sending`,
    [workspaceId],
  );
  const row = found.rows[0];
  if (row === undefined) return undefined;
  return openLicenseKey(master, { id: row.id, workspaceId, masterKeyId: row.master_key_id, sealed: row.sealed });
}

/**
 * Makes this key the one that is sent with webhooks. Does nothing if it already is.
 *
 * @throws Problem `thing.unknown`; `state.conflict` if it was revoked
 */
export async function promoteLicenseKey(client: ClientBase, workspaceId: string, keyId: string): Promise<void> {
  const key = await find(client, workspaceId, keyId);
  if (key.state === 'revoked') throw new Problem('state.conflict', `Key ${keyId} was revoked and cannot be promoted.`);
  if (key.state === 'sent') return;
  await client.query(`update license_key set sending = false where workspace_id = $1 and sending`, [workspaceId]);
  await client.query(`update license_key set sending = true where id = $1`, [keyId]);
}

/**
 * Revokes a key for good: within 5 s no process accepts or sends it. Does nothing if it is already revoked.
 *
 * @param force revokes even the key that is sent: webhooks then wait until another key is promoted or created
 * @throws Problem `thing.unknown`; `state.conflict` if it is the key that is sent and `force` is false
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
      `Key ${key.id} is sent with webhooks. Promote another key first, or force the revocation.`,
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

import { randomBytes } from 'node:crypto';
import { assert, Problem } from '@ringfence/contract';
import { type DeviceKey, makeDeviceKey, openDeviceKey, type PrivateDeviceJwk } from '@ringfence/intel';
import type { ClientBase } from 'pg';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { open, type Place, seal, SealError } from '../../platform/secrets/seal.ts';
import { knownKey, sealingKey } from '../../platform/secrets/sealing-key.ts';
import type { WebhookSettings, WorkspaceSecrets } from './workspace.ts';

const keyNames = ['data', 'index', 'pepper', 'webhook'] as const;
const keyBytes = 32;

/** An imported pepper may be longer than a generated one, but not shorter. */
const pepperBytesMin = 32;
const pepperBytesMax = 128;

/** Keys that decrypt device tokens: the present one, which pages use, and the previous one. */
export const deviceKeyNames = ['device', 'deviceBefore'] as const;

/** Settings that are secrets: stored encrypted, not in the `settings` column. */
const privateName = 'webhookSettings';
const privateMembers = ['clientKeyPem', 'proxy'] as const;
export type PrivateSettings = Pick<WebhookSettings, (typeof privateMembers)[number]>;

export interface SecretRow {
  readonly workspace_id: string;
  readonly name: string;
  readonly version: number;
  readonly master_key_id: string;
  readonly sealed: Buffer;
  /** PostgreSQL's text form, with microseconds. */
  readonly made_at: string;
  /** For a replaced signing secret: it keeps signing until then. */
  readonly signs_until: Date | null;
}

/** Generates the keys of a new workspace. */
export async function makeSecrets(client: ClientBase, workspaceId: string, master: MasterKeys): Promise<void> {
  for (const name of keyNames) {
    await putSecret(client, { workspaceId, name, value: randomBytes(keyBytes), master });
  }
  await putDeviceKey(client, { workspaceId, name: 'device', jwk: makeDeviceKey(), master });
}

/** Stores a device key, replacing the one of that name. */
export async function putDeviceKey(
  client: ClientBase,
  key: Omit<NewSecret, 'value'> & { readonly name: (typeof deviceKeyNames)[number]; readonly jwk: PrivateDeviceJwk },
): Promise<void> {
  const { jwk, ...secret } = key;
  await putSecret(client, { ...secret, value: Buffer.from(JSON.stringify(jwk)) });
}

interface NewSecret {
  readonly workspaceId: string;
  readonly name: string;
  readonly value: Buffer;
  readonly master: MasterKeys;
}

/** Stores a secret. The previous one of that name is retired, and can still be decrypted. */
export async function putSecret(client: ClientBase, secret: NewSecret): Promise<void> {
  const { workspaceId, name, value, master } = secret;
  const { id, key } = await sealingKey(client, master);
  await client.query(
    `update workspace_secret set retired_at = now() where workspace_id = $1 and name = $2 and retired_at is null`,
    [workspaceId, name],
  );
  const highest = await client.query<{ version: number }>(
    `select coalesce(max(version), 0) as version from workspace_secret where workspace_id = $1 and name = $2`,
    [workspaceId, name],
  );
  const version = highest.rows[0]!.version + 1;
  await client.query(
    `insert into workspace_secret (workspace_id, name, version, master_key_id, sealed) values ($1, $2, $3, $4, $5)`,
    [workspaceId, name, version, id, seal(key, value, secretPlace(workspaceId, name, version))],
  );
}

export function secretPlace(workspaceId: string, name: string, version: number): Place {
  return { of: `secret:${workspaceId}:${name}`, row: String(version) };
}

export interface OpenedSecrets {
  readonly secrets: WorkspaceSecrets;
  readonly private: PrivateSettings;
}

/** Decrypts the live secrets of one workspace. @throws OperatorError if this process does not have the master key */
export function openSecrets(workspaceId: string, rows: readonly SecretRow[], master: MasterKeys): OpenedSecrets {
  const live = rows.filter(({ signs_until: until }) => until === null);
  const opened = new Map(live.map((row) => [row.name, openRow(row, master)]));
  const [data, index, pepper, webhook] = keyNames.map((name) => {
    const key = opened.get(name);
    assert(key !== undefined, `workspace ${workspaceId} has its ${name} secret`);
    return key;
  }) as [Buffer, Buffer, Buffer, Buffer];
  const settings = opened.get(privateName);
  const before = rows.find(({ signs_until: until }) => until !== null);
  return {
    secrets: {
      data,
      index,
      pepper,
      webhook,
      deviceKeys: deviceKeyNames.flatMap((name) => deviceKeyOf(opened.get(name))),
      ...(before === undefined
        ? {}
        : { webhookBefore: { secret: openRow(before, master), untilMs: before.signs_until!.getTime() } }),
    },
    private: settings === undefined ? {} : (JSON.parse(settings.toString('utf8')) as PrivateSettings),
  };
}

function deviceKeyOf(value: Buffer | undefined): readonly DeviceKey[] {
  return value === undefined ? [] : [openDeviceKey(JSON.parse(value.toString('utf8')) as PrivateDeviceJwk)];
}

function openRow(row: SecretRow, master: MasterKeys): Buffer {
  const { key, id } = knownKey(master, row.master_key_id);
  try {
    return open(key, row.sealed, secretPlace(row.workspace_id, row.name, row.version));
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause;
    throw new OperatorError(
      `The ${row.name} secret of workspace ${row.workspace_id} cannot be decrypted with its master key ${id}.`,
      'The row was changed outside the service. Restore a backup.',
      { cause },
    );
  }
}

/** Separates the secret members from the settings. */
export function splitSettings<Settings extends { readonly webhook?: WebhookSettings }>(
  settings: Settings,
): { readonly plain: Settings; readonly private: PrivateSettings } {
  if (settings.webhook === undefined) return { plain: settings, private: {} };
  const { clientKeyPem, proxy, ...webhook } = settings.webhook;
  return {
    plain: { ...settings, webhook },
    private: { ...(clientKeyPem === undefined ? {} : { clientKeyPem }), ...(proxy === undefined ? {} : { proxy }) },
  };
}

/** Adds the secret members to the settings again. */
export function joinSettings<Settings extends { readonly webhook?: WebhookSettings }>(
  plain: Settings,
  secret: PrivateSettings,
): Settings {
  return plain.webhook === undefined ? plain : { ...plain, webhook: { ...plain.webhook, ...secret } };
}

/** Stores the secret part of the settings, and deletes the old one. */
export async function putPrivateSettings(
  client: ClientBase,
  of: { readonly workspaceId: string; readonly settings: PrivateSettings; readonly master: MasterKeys },
): Promise<void> {
  const { workspaceId, settings, master } = of;
  await client.query(`delete from workspace_secret where workspace_id = $1 and name = $2`, [workspaceId, privateName]);
  if (Object.keys(settings).length === 0) return;
  const value = Buffer.from(JSON.stringify(settings));
  await putSecret(client, { workspaceId, name: privateName, value, master });
}

/**
 * Imports the pepper that a bank hashes its clients with. This changes `client` in webhooks. The old pepper is retired
 * and kept.
 *
 * @throws Problem `request.invalid` unless it has 32 to 128 bytes
 */
export async function importPepper(
  client: ClientBase,
  of: { readonly workspaceId: string; readonly pepper: Buffer; readonly master: MasterKeys },
): Promise<void> {
  const { workspaceId, pepper, master } = of;
  if (pepper.length < pepperBytesMin || pepper.length > pepperBytesMax) {
    throw new Problem(
      'request.invalid',
      `A pepper must have ${pepperBytesMin} to ${pepperBytesMax} bytes, but this one has ${pepper.length}.`,
    );
  }
  await putSecret(client, { workspaceId, name: 'pepper', value: pepper, master });
}

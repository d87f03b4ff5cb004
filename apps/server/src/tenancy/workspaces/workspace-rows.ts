import type { ClientBase, Pool } from 'pg';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { joinSettings, openSecrets, type SecretRow } from './workspace-secrets.ts';
import type { Channel, Environment, Owner, Workspace, WorkspaceSettings } from './workspace.ts';

export interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly settings_owner: Owner;
  readonly keys_owner: Owner;
  readonly policy_owner: Owner;
  readonly settings: WorkspaceSettings;
  readonly policy_version: number | null;
  readonly logged_policy: number | null;
  readonly logged_settings: Buffer | null;
  readonly declaration: Buffer | null;
  readonly created_at: Date;
}

interface ChannelRow {
  readonly workspace_id: string;
  readonly id: number;
  readonly name: string;
  readonly idle_minutes: number;
  readonly absolute_hours: number;
  readonly sessions: 'required' | 'optional';
  readonly device: 'token' | 'none' | null;
}

/** All database rows of one workspace. */
export interface StoredWorkspace {
  readonly row: WorkspaceRow;
  readonly channels: readonly ChannelRow[];
  readonly secrets: readonly SecretRow[];
}

/** Reads one workspace, or all of them that lie in this database, sorted by name. */
export async function readStored(
  database: Pool | ClientBase,
  workspaceId?: string,
): Promise<readonly StoredWorkspace[]> {
  const only = [workspaceId ?? null];
  const rows = await database.query<WorkspaceRow>(
    `select * from workspace where placement = 'here' and ($1::text is null or id = $1) order by name, environment`,
    only,
  );
  const channels = await database.query<ChannelRow>(
    `select * from channel where $1::text is null or workspace_id = $1 order by id`,
    only,
  );
  const secrets = await database.query<SecretRow>(
    `select workspace_id, name, version, master_key_id, sealed, made_at::text as made_at, signs_until from workspace_secret
      where (retired_at is null or signs_until > now()) and ($1::text is null or workspace_id = $1)
      order by name, version`,
    only,
  );
  const channelsOf = Map.groupBy(channels.rows, (row) => row.workspace_id);
  const secretsOf = Map.groupBy(secrets.rows, (row) => row.workspace_id);
  return rows.rows.map((row) => ({
    row,
    channels: channelsOf.get(row.id) ?? [],
    secrets: secretsOf.get(row.id) ?? [],
  }));
}

/** Fills in settings that rows of older releases do not have. */
function withDefaults(settings: WorkspaceSettings): WorkspaceSettings {
  const { webhook } = settings;
  return webhook === undefined ? settings : { ...settings, webhook: { ...addedToWebhook, ...webhook } };
}

const addedToWebhook = { sendReference: false };

/** Decrypts a stored workspace. @throws OperatorError if this process does not have the master key */
export function openWorkspace(stored: StoredWorkspace, master: MasterKeys): Workspace {
  const { row } = stored;
  const opened = openSecrets(row.id, stored.secrets, master);
  return {
    id: row.id,
    name: row.name,
    environment: row.environment,
    owners: { settings: row.settings_owner, keys: row.keys_owner, policy: row.policy_owner },
    settings: joinSettings(withDefaults(row.settings), opened.private),
    channels: new Map(stored.channels.map((channel) => [channel.id, channelOf(channel)])),
    secrets: opened.secrets,
    policyVersion: row.policy_version ?? undefined,
    createdAtMs: row.created_at.getTime(),
  };
}

function channelOf(row: ChannelRow): Channel {
  return {
    id: row.id,
    name: row.name,
    idleMinutes: row.idle_minutes,
    absoluteHours: row.absolute_hours,
    sessions: row.sessions,
    ...(row.device === null ? {} : { device: row.device }),
  };
}

/** Replaces the channels of a workspace. */
export async function writeChannels(
  client: ClientBase,
  workspaceId: string,
  channels: readonly Channel[],
): Promise<void> {
  await client.query(`delete from channel where workspace_id = $1 and id <> all($2)`, [
    workspaceId,
    channels.map(({ id }) => id),
  ]);
  for (const channel of channels) {
    await client.query(
      `insert into channel (workspace_id, id, name, idle_minutes, absolute_hours, sessions, device)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (workspace_id, id) do update
         set name = $3, idle_minutes = $4, absolute_hours = $5, sessions = $6, device = $7`,
      [
        workspaceId,
        channel.id,
        channel.name,
        channel.idleMinutes,
        channel.absoluteHours,
        channel.sessions,
        channel.device,
      ],
    );
  }
}

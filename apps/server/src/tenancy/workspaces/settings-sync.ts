/**
 * The engine learns about a workspace only through the log: its partition, a `settings` record, a `policy` record, and
 * directives. The row stores the wanted state, and this module appends records until the log has the same state.
 *
 *   change committed (row X, note W) -> record and note committed together (row X, note X)
 *
 * The note says what the log has last. A transaction appends only while the row still wants what it appends and the note
 * lacks it. So of several processes one appends, and a process that comes late, however long it was stopped, appends nothing.
 */
import { Problem } from '@ringfence/contract';
import type { HistoryStart } from '@ringfence/engine';
import { type EventLog, type LogEntry, LogUnavailableError } from '@ringfence/log';
import type { Pool } from 'pg';
import { appendNoted } from '../../platform/database/append-noted.ts';
import { readReady } from './backfill-rows.ts';
import { notePolicyActivation } from './policy-activations.ts';
import { engineSettings, settingsDigest, settingsPayload } from './settings.ts';
import type { WorkspaceDeps } from './workspace-deps.ts';
import { openWorkspace, readStored, type StoredWorkspace } from './workspace-rows.ts';

type Appender = Pick<EventLog, 'appendWith'>;
type SyncDeps = Omit<WorkspaceDeps, 'allowPrivateWebhooks'>;

/** The most directives that one call appends; the others wait for the next call. */
const directivesMax = 1_000;

/** The settings that the engine should have, and the digest by which they are noted. */
function wantedSettings(stored: StoredWorkspace, master: SyncDeps['master']) {
  const workspace = openWorkspace(stored, master);
  const settings = engineSettings({ settings: workspace.settings, channels: [...workspace.channels.values()] });
  return { settings, digest: settingsDigest(settings) };
}

function isNoted({ row }: StoredWorkspace, digest: Buffer): boolean {
  return row.logged_settings !== null && digest.equals(row.logged_settings);
}

/** @returns the number of appended records */
async function appendSettings(
  { log, master }: SyncDeps,
  workspaceId: string,
  stored: StoredWorkspace,
): Promise<number> {
  const { settings, digest } = wantedSettings(stored, master);
  if (isNoted(stored, digest)) return 0;
  const entry = { kind: 'settings', payload: settingsPayload(settings) } as const;
  const appended = await appendNoted(log, { workspaceId, entry }, async (client) => {
    await client.query(`select 1 from workspace where id = $1 for update`, [workspaceId]);
    const [now] = await readStored(client, workspaceId);
    if (now === undefined || isNoted(now, digest) || !wantedSettings(now, master).digest.equals(digest)) return false;
    await client.query(`update workspace set logged_settings = $2 where id = $1`, [workspaceId, digest]);
    return true;
  });
  return appended === undefined ? 0 : 1;
}

/**
 * Appends a `policy` record: the version that the engine uses from there on, and the history of its feature backfill.
 *
 * @returns the number of appended records: none if the row names another version, or the record is in the log already
 */
export async function appendPolicy(
  { log, pool }: { readonly log: Appender; readonly pool: Pool },
  workspaceId: string,
  policy: { readonly version: number; readonly history?: HistoryStart | undefined },
): Promise<number> {
  const entry = { kind: 'policy', payload: Buffer.from(JSON.stringify(policy)) } as const;
  const appended = await appendNoted(log, { workspaceId, entry }, async (client) => {
    const noted = await client.query(
      `update workspace set logged_policy = $2 where id = $1 and policy_version = $2
          and (logged_policy is distinct from $2 or exists (
            select 1 from policy_start where workspace_id = $1 and version = $2 and state = 'ready'))`,
      [workspaceId, policy.version],
    );
    if (noted.rowCount !== 1) return false;
    await notePolicyActivation(client, workspaceId, policy.version);
    return true;
  });
  if (appended === undefined) return 0;
  if (policy.history === undefined || appended.kind !== 'appended') return 1;
  // After a crash before this, the next sync finds the backfill still `ready` and appends the record again.
  await pool.query(
    // A backfill that was requested again during the append is in state `folding` and must not be marked as switched.
    `update policy_start set state = 'switched', switch_offset = $3, ended_at = now()
      where workspace_id = $1 and version = $2 and state = 'ready'`,
    [workspaceId, policy.version, appended.offset],
  );
  return 1;
}

/** Appends the directives that are not in the log yet, in the order in which they were stored. */
async function appendDirectives({ log, pool }: SyncDeps, workspaceId: string): Promise<number> {
  const { rows } = await pool.query<{ id: number; kind: LogEntry['kind']; subject: string | null; payload: Buffer }>(
    `select id, kind, subject, payload from directive
      where workspace_id = $1 and not appended order by id limit ${directivesMax}`,
    [workspaceId],
  );
  let count = 0;
  for (const { id, kind, subject, payload } of rows) {
    const entry = { kind, ...(subject === null ? {} : { subject }), payload };
    const appended = await appendNoted(log, { workspaceId, entry }, async (client) => {
      const noted = await client.query(
        `update directive set appended = true where workspace_id = $1 and id = $2 and not appended`,
        [workspaceId, id],
      );
      return noted.rowCount === 1;
    });
    if (appended !== undefined) count++;
  }
  return count;
}

/**
 * Brings the log of a workspace in line with its row. Idempotent; any process may call it at any time.
 *
 * @returns the number of appended records
 * @throws Problem `log.unavailable` if a record cannot be appended; call again later
 */
export async function syncSettings(deps: SyncDeps, workspaceId: string): Promise<number> {
  try {
    return await appendMissing(deps, workspaceId);
  } catch (cause) {
    if (!(cause instanceof LogUnavailableError)) throw cause;
    throw new Problem('log.unavailable', 'The change is stored. It takes effect when the log is available again.', {
      cause,
      retryAfterSeconds: 1,
    });
  }
}

async function appendMissing(deps: SyncDeps, workspaceId: string): Promise<number> {
  const [stored] = await readStored(deps.pool, workspaceId);
  if (stored === undefined) return 0;
  if (stored.row.logged_settings === null) await deps.log.createPartition(workspaceId);
  let appended = await appendSettings(deps, workspaceId, stored);
  const { policy_version: version, logged_policy: logged } = stored.row;
  if (version !== null) {
    const history = await readReady(deps.pool, workspaceId, version);
    if (version !== logged || history !== undefined) {
      appended += await appendPolicy(deps, workspaceId, { version, history });
    }
  }
  return appended + (await appendDirectives(deps, workspaceId));
}

/** Calls `syncSettings` for every workspace: at start, and periodically to complete changes that a crash interrupted. */
export async function syncAllSettings(deps: SyncDeps): Promise<number> {
  const found = await deps.pool.query<{ id: string }>(`select id from workspace where placement = 'here' order by id`);
  let appended = 0;
  for (const { id } of found.rows) appended += await syncSettings(deps, id);
  return appended;
}

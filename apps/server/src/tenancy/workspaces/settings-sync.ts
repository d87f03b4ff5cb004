/**
 * The engine learns about a workspace only through the log: its partition, a `settings` record, a `policy` record. The
 * workspace row stores the wanted state, and this module appends records until the log has the same state.
 *
 *   change committed    row X, note W    (the note: the last state known to be in the log)
 *   fenced              row X, no note   earlier appends that are still under way are refused from now on
 *   record appended     row X, no note
 *   noted               row X, note X
 *
 * After a crash between two steps, the row and its note differ and the next `syncSettings` appends again. A repeated record changes
 * nothing. A session lock admits one process at a time. The lock ends with its connection, but an append on another
 * connection may outlive it: so each append carries the generation of its own fence, and a process that takes over raises it.
 */
import { Problem } from '@ringfence/contract';
import type { EngineSettings, HistoryStart } from '@ringfence/engine';
import { type EventLog, fenceAppends, LogUnavailableError, StaleGenerationError } from '@ringfence/log';
import type { ClientBase, Pool } from 'pg';
import { readReady } from './backfill-rows.ts';
import { appendDirectives } from './append-directives.ts';
import { engineSettings, settingsDigest, settingsPayload } from './settings.ts';
import type { WorkspaceDeps } from './workspace-deps.ts';
import { openWorkspace, readStored } from './workspace-rows.ts';

type Appender = Pick<EventLog, 'append'>;
type AgreementDeps = Omit<WorkspaceDeps, 'allowPrivateWebhooks'>;

/** An erasure fences appends as well; more attempts for one change mean that something is wrong. */
const attemptsMax = 5;

interface Appending {
  readonly log: Appender;
  /** Holds the lock. */
  readonly client: ClientBase;
}

/** Appends the settings for the engine, and notes them. */
async function appendSettings(
  { log, client }: Appending,
  workspaceId: string,
  { settings, digest }: { readonly settings: EngineSettings; readonly digest: Buffer },
): Promise<void> {
  // Null stays: it marks a new workspace.
  await client.query(`update workspace set logged_settings = ''::bytea where id = $1 and logged_settings is not null`, [
    workspaceId,
  ]);
  const generation = await fenceAppends(client, workspaceId);
  await log.append(workspaceId, { kind: 'settings', payload: settingsPayload(settings) }, generation);
  await client.query(`update workspace set logged_settings = $2 where id = $1`, [workspaceId, digest]);
}

/**
 * Appends a `policy` record: the version that the engine uses from there on, and the history of its feature backfill.
 * Then notes the version.
 *
 * @throws StaleGenerationError when appends were fenced meanwhile: by an erasure, or because this process lost its lock
 */
export async function appendPolicy(
  { log, client }: Appending,
  workspaceId: string,
  policy: { readonly version: number; readonly history?: HistoryStart | undefined },
): Promise<void> {
  // Versions count from 1. Null stays: it marks a first start that was interrupted.
  await client.query(`update workspace set logged_policy = 0 where id = $1 and logged_policy is not null`, [
    workspaceId,
  ]);
  const generation = await fenceAppends(client, workspaceId);
  const entry = { kind: 'policy', payload: Buffer.from(JSON.stringify(policy)) } as const;
  const appended = await log.append(workspaceId, entry, generation);
  await client.query(`update workspace set logged_policy = $2 where id = $1`, [workspaceId, policy.version]);
  if (policy.history === undefined || appended.kind !== 'appended') return;
  await client.query(
    // A backfill that was requested again during the append is in state `folding` and must not be marked as switched.
    `update policy_start set state = 'switched', switch_offset = $3, ended_at = now()
      where workspace_id = $1 and version = $2 and state = 'ready'`,
    [workspaceId, policy.version, appended.offset],
  );
}

/**
 * Brings the log of a workspace in line with its row. Idempotent; any process may call it at any time.
 *
 * @returns the number of appended records
 * @throws Problem `log.unavailable` if a record cannot be appended; call again later
 */
export async function syncSettings(deps: AgreementDeps, workspaceId: string): Promise<number> {
  try {
    return await agreeAlone(deps, workspaceId);
  } catch (cause) {
    if (!(cause instanceof LogUnavailableError)) throw cause;
    throw new Problem('log.unavailable', 'The change is stored. It takes effect when the log is available again.', {
      cause,
      retryAfterSeconds: 1,
    });
  }
}

async function agreeAlone(deps: AgreementDeps, workspaceId: string): Promise<number> {
  const found = await deps.pool.query<{ fresh: boolean }>(
    `select logged_settings is null as fresh from workspace where id = $1`,
    [workspaceId],
  );
  if (found.rows[0] === undefined) return 0;
  // Before this function takes a connection: waiting for a second one while holding the first can deadlock the pool.
  if (found.rows[0].fresh) await deps.log.createPartition(workspaceId);
  for (let attempt = 1; ; attempt++) {
    try {
      return await underSyncLock(deps.pool, workspaceId, (client) => agreeLocked(deps, client, workspaceId));
    } catch (error) {
      if (!(error instanceof StaleGenerationError) || attempt >= attemptsMax) throw error;
    }
  }
}

/** Runs `work` under an advisory lock, so that no other process appends this workspace's settings meanwhile. */
export async function underSyncLock<Result>(
  pool: Pool,
  workspaceId: string,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // Without the lock, the older of two changes could be appended last.
    await client.query(`select pg_advisory_lock(hashtextextended('ringfence.agree.' || $1, 0))`, [workspaceId]);
    try {
      return await work(client);
    } finally {
      await client.query(`select pg_advisory_unlock(hashtextextended('ringfence.agree.' || $1, 0))`, [workspaceId]);
    }
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

async function agreeLocked(deps: AgreementDeps, client: ClientBase, workspaceId: string): Promise<number> {
  const stored = (await readStored(client, workspaceId))[0];
  if (stored === undefined) return 0;
  let appended = 0;
  const workspace = openWorkspace(stored, deps.master);
  const settings = engineSettings({ settings: workspace.settings, channels: [...workspace.channels.values()] });
  const digest = settingsDigest(settings);
  if (stored.row.logged_settings === null || !digest.equals(stored.row.logged_settings)) {
    await appendSettings({ log: deps.log, client }, workspaceId, { settings, digest });
    appended++;
  }
  const version = stored.row.policy_version;
  if (version !== null && version !== stored.row.logged_policy) {
    const history = await readReady(client, workspaceId, version);
    await appendPolicy({ log: deps.log, client }, workspaceId, { version, history });
    appended++;
  }
  return appended + (await appendDirectives(deps.log, client, workspaceId));
}

/** Calls `syncSettings` for every workspace: at start, and periodically to complete changes that a crash interrupted. */
export async function syncAllSettings(deps: AgreementDeps): Promise<number> {
  const found = await deps.pool.query<{ id: string }>(`select id from workspace order by id`);
  let appended = 0;
  for (const { id } of found.rows) appended += await syncSettings(deps, id);
  return appended;
}

/**
 * The engine learns of a workspace by the log alone: its partition, a `settings` record, a `policy` record. The row in the
 * database says what they should be; `agree` brings the log to say the same.
 *
 *   change committed    row X, note W    (the note: what the log says last, as far as the row knows)
 *   fenced              row X, no note   earlier appends that are still under way are refused from now on
 *   record appended     row X, no note
 *   noted               row X, note X
 *
 * A crash between two of these leaves a row whose note differs, and the next `agree` appends again: a repeated record
 * changes nothing. A session lock admits one process at a time. The lock ends with its connection, and an append on another
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

/** An erasure fences appends as well; so many in a row at the moment of a change mean that something is wrong. */
const attemptsMax = 5;

interface Appending {
  readonly log: Appender;
  /** Holds the lock. */
  readonly client: ClientBase;
}

/** Tells the engine what is set from now on. */
async function appendSettings(
  { log, client }: Appending,
  workspaceId: string,
  { settings, digest }: { readonly settings: EngineSettings; readonly digest: Buffer },
): Promise<void> {
  // Null stays: it says that the workspace is new.
  await client.query(`update workspace set logged_settings = ''::bytea where id = $1 and logged_settings is not null`, [
    workspaceId,
  ]);
  const generation = await fenceAppends(client, workspaceId);
  await log.append(workspaceId, { kind: 'settings', payload: settingsPayload(settings) }, generation);
  await client.query(`update workspace set logged_settings = $2 where id = $1`, [workspaceId, digest]);
}

/**
 * Tells the engine by which version of the policy it decides from now on, and with which history its new features
 * begin; then notes that it was told.
 *
 * @throws StaleGenerationError when appends were fenced meanwhile: an erasure did it, or this one lost its lock
 */
export async function appendPolicy(
  { log, client }: Appending,
  workspaceId: string,
  policy: { readonly version: number; readonly history?: HistoryStart | undefined },
): Promise<void> {
  // Versions count from 1. Null stays: a first start that was cut off is known by it.
  await client.query(`update workspace set logged_policy = 0 where id = $1 and logged_policy is not null`, [
    workspaceId,
  ]);
  const generation = await fenceAppends(client, workspaceId);
  const entry = { kind: 'policy', payload: Buffer.from(JSON.stringify(policy)) } as const;
  const appended = await log.append(workspaceId, entry, generation);
  await client.query(`update workspace set logged_policy = $2 where id = $1`, [workspaceId, policy.version]);
  if (policy.history === undefined || appended.kind !== 'appended') return;
  await client.query(
    // Not one that was asked for anew while the record was appended: that is still to be folded.
    `update policy_start set state = 'switched', switch_offset = $3, ended_at = now()
      where workspace_id = $1 and version = $2 and state = 'ready'`,
    [workspaceId, policy.version, appended.offset],
  );
}

/**
 * Makes the log of a workspace agree with its row: safe at any time, by any process, as often as one likes.
 *
 * @returns how many records were appended
 * @throws Problem `log.unavailable` when the log cannot take a record; call again later
 */
export async function agree(deps: AgreementDeps, workspaceId: string): Promise<number> {
  try {
    return await agreeAlone(deps, workspaceId);
  } catch (cause) {
    if (!(cause instanceof LogUnavailableError)) throw cause;
    throw new Problem('log.unavailable', 'The change is stored, and the engine learns of it when the log is back.', {
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
  // Before a connection is held: who holds one and waits for another can wait for ever.
  if (found.rows[0].fresh) await deps.log.createPartition(workspaceId);
  for (let attempt = 1; ; attempt++) {
    try {
      return await underAgreement(deps.pool, workspaceId, (client) => agreeLocked(deps, client, workspaceId));
    } catch (error) {
      if (!(error instanceof StaleGenerationError) || attempt >= attemptsMax) throw error;
    }
  }
}

/** Runs `work` while nobody else tells the log of this workspace what is set. */
export async function underAgreement<Result>(
  pool: Pool,
  workspaceId: string,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // One at a time: else of two changes the older one could be appended last.
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

/** `agree` for every workspace: at start, and now and then, for what an end at the wrong moment left. */
export async function agreeAll(deps: AgreementDeps): Promise<number> {
  const found = await deps.pool.query<{ id: string }>(`select id from workspace order by id`);
  let appended = 0;
  for (const { id } of found.rows) appended += await agree(deps, id);
  return appended;
}

import { Problem } from '@ringfence/contract';
import type { PolicyFile } from '@ringfence/policy';
import type { Pool } from 'pg';
import { storedForm } from '../../policies/stored-files.ts';
import type { VariedParam } from '../../policies/vary-param.ts';
import type { AsLive } from './as-live.ts';
import type { BacktestResult } from './result.ts';

/** A stored backtest. Instants are epoch milliseconds. */
export interface Backtest {
  readonly id: number;
  readonly workspaceId: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly author: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
  /**
   * The version that was tested; `undefined` for files that are not a version, even if another policy got their number
   * since.
   */
  readonly policyVersion: number | undefined;
  /** The version that it is compared with. */
  readonly against: number | undefined;
  /** Name of the history; `undefined` for the live log. */
  readonly history: string | undefined;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  readonly asLive: AsLive;
  /** The parameter that is varied, with its values. */
  readonly vary: VariedParam | undefined;
  /** Records processed, out of `total`. */
  readonly done: number;
  readonly total: number;
  /** Why it failed. */
  readonly error: string | undefined;
}

export interface NewBacktest extends Pick<
  Backtest,
  'workspaceId' | 'author' | 'against' | 'history' | 'fromMs' | 'toMs' | 'asLive' | 'vary'
> {
  readonly files: readonly PolicyFile[];
  /** The version in the candidate's decisions: its own, or the one that it would get. */
  readonly decidesAs: number;
}

/** After this time without a heartbeat, the process is considered dead, and its backtest as ended. */
const silentSecondsMax = 60;
/** Per workspace; the oldest are removed. */
const keptMax = 100;
const uniqueViolation = '23505';
const anotherRuns = 'Another backtest or training is running. Only one can run at a time, over all workspaces.';
/** A backtest takes seconds to minutes. */
const retryAfterSeconds = 10;

/** @throws Problem `state.conflict` while another one runs in any workspace */
export async function insertBacktest(pool: Pool, made: NewBacktest): Promise<number> {
  return insertRunning(pool, made.workspaceId, async () => {
    const { rows } = await pool.query<{ id: number }>(
      `insert into backtest (workspace_id, state, author, files, policy_version, against, history, from_ms, to_ms, as_live, vary,
                             stored_files)
       values ($1, 'running', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`,
      [
        made.workspaceId,
        made.author,
        JSON.stringify(made.files),
        made.decidesAs,
        made.against ?? null,
        made.history ?? null,
        made.fromMs ?? null,
        made.toMs ?? null,
        made.asLive,
        made.vary === undefined ? null : JSON.stringify(made.vary),
        JSON.stringify(storedForm(made.files)),
      ],
    );
    return rows[0]!.id;
  });
}

/**
 * Inserts a row of work on history, of which one runs at a time.
 *
 * @throws Problem `state.conflict` while another one runs in any workspace
 */
export async function insertRunning(pool: Pool, workspaceId: string, insert: () => Promise<number>): Promise<number> {
  await endSilent(pool);
  try {
    const id = await insert();
    await pool.query(
      `delete from backtest where id in (
         select id from (
           select id, row_number() over (partition by purpose order by id desc) as place
             from backtest where workspace_id = $1
         ) placed where place > ${keptMax})`,
      [workspaceId],
    );
    return id;
  } catch (error) {
    if ((error as { readonly code?: string }).code !== uniqueViolation) throw error;
    throw new Problem('state.conflict', anotherRuns, { retryAfterSeconds });
  }
}

export async function endSilent(pool: Pool): Promise<void> {
  await pool.query(
    `update backtest set state = 'failed', ended_at = heartbeat_at, error = $1
      where state = 'running' and heartbeat_at < now() - interval '${silentSecondsMax} seconds'`,
    [endedWithItsProcess],
  );
}

export const endedWithItsProcess = 'The process that ran it has ended.';

/**
 * Records progress and a heartbeat.
 *
 * @returns whether to continue: it was neither cancelled nor given up
 */
export async function noteProgress(
  pool: Pool,
  id: number,
  progress: Pick<Backtest, 'done' | 'total'> & { readonly phase?: 'events' | 'trees' },
): Promise<boolean> {
  const noted = await pool.query<{ cancel_asked: boolean }>(
    `update backtest set done = $2, total = $3, phase = $4, heartbeat_at = now() where id = $1 and state = 'running'
     returning cancel_asked`,
    [id, progress.done, progress.total, progress.phase ?? null],
  );
  // A process of the release before only asks.
  return noted.rows[0]?.cancel_asked === false;
}

/** An encrypted example with its position. */
export interface StoredExample {
  /** From 1. */
  readonly place: number;
  readonly list: string;
  readonly reason: number | null;
  readonly subject: string | null;
  readonly detail: Buffer;
}

/** Stores the result, unless it was given up before. Atomic, in one statement. */
export async function finishBacktest(
  pool: Pool,
  id: number,
  end: { readonly result: BacktestResult; readonly examples: readonly StoredExample[]; readonly total: number },
): Promise<void> {
  const { result, examples, total } = end;
  await pool.query(
    `with ended as (
       update backtest set state = 'done', result = $2, done = $7, total = $7, ended_at = now(), heartbeat_at = now()
        where id = $1 and state = 'running' returning id
     )
     insert into backtest_example (backtest_id, place, list, reason, subject, detail)
     select ended.id, e.place, e.list, e.reason, e.subject, e.detail
       from ended, unnest($3::text[], $4::integer[], $5::text[], $6::bytea[])
            with ordinality as e (list, reason, subject, detail, place)`,
    [
      id,
      JSON.stringify(result),
      examples.map(({ list }) => list),
      examples.map(({ reason }) => reason),
      examples.map(({ subject }) => subject),
      examples.map(({ detail }) => detail),
      total,
    ],
  );
}

/** Ends it without a result. Does nothing when it has ended already. */
export async function endBacktest(
  pool: Pool,
  id: number,
  end: { readonly state: 'failed' | 'cancelled'; readonly error?: string },
): Promise<void> {
  await pool.query(`update backtest set state = $2, error = $3, ended_at = now() where id = $1 and state = 'running'`, [
    id,
    end.state,
    end.error ?? null,
  ]);
}

interface BacktestRow {
  readonly id: number;
  readonly workspace_id: string;
  readonly state: Backtest['state'];
  readonly author: string;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly tried_version: number | null;
  readonly against: number | null;
  readonly history: string | null;
  readonly from_ms: number | null;
  readonly to_ms: number | null;
  readonly as_live: AsLive;
  readonly vary: VariedParam | null;
  readonly done: number;
  readonly total: number;
  readonly error: string | null;
}

/** For queries of the table `backtest`. */
export const isSilent = `state = 'running' and heartbeat_at < now() - interval '${silentSecondsMax} seconds'`;
const columns = `id, workspace_id, case when ${isSilent} then 'failed' else state end as state, author, started_at,
  case when ${isSilent} then heartbeat_at else ended_at end as ended_at, against, history, from_ms, to_ms, as_live, vary,
  done, total, case when ${isSilent} then '${endedWithItsProcess}' else error end as error,
  (select p.version from policy_version p
    where p.workspace_id = backtest.workspace_id and p.version = backtest.policy_version
      and p.files = coalesce(backtest.stored_files, backtest.files)
  ) as tried_version`;

/** Newest first. */
export async function listBacktests(pool: Pool, workspaceId: string): Promise<readonly Backtest[]> {
  const { rows } = await pool.query<BacktestRow>(
    `select ${columns} from backtest where workspace_id = $1 and purpose = 'backtest' order by id desc`,
    [workspaceId],
  );
  return rows.map(backtestOf);
}

export interface BacktestWithResult extends Backtest {
  /** Set once it is done. */
  readonly result: BacktestResult | undefined;
}

/** @throws Problem `thing.unknown` */
export async function readBacktest(pool: Pool, workspaceId: string, id: number): Promise<BacktestWithResult> {
  const { rows } = await pool.query<BacktestRow & { readonly result: BacktestResult | null }>(
    `select ${columns}, result from backtest where workspace_id = $1 and id = $2 and purpose = 'backtest'`,
    [workspaceId, id],
  );
  const row = rows[0];
  if (row === undefined) throw unknownBacktest(id);
  return { ...backtestOf(row), result: row.result ?? undefined };
}

/** The candidate. @throws Problem `thing.unknown` */
export async function readCandidate(pool: Pool, id: number): Promise<Pick<NewBacktest, 'files' | 'decidesAs'>> {
  const { rows } = await pool.query<{ files: readonly PolicyFile[]; policy_version: number }>(
    `select files, policy_version from backtest where id = $1`,
    [id],
  );
  if (rows[0] === undefined) throw unknownBacktest(id);
  return { files: rows[0].files, decidesAs: rows[0].policy_version };
}

export async function readExamples(pool: Pool, id: number): Promise<readonly StoredExample[]> {
  const { rows } = await pool.query<StoredExample>(
    `select place, list, reason, subject, detail from backtest_example where backtest_id = $1 order by place`,
    [id],
  );
  return rows;
}

/**
 * Cancels it. The next one may start at once: the process that runs this one notices at its next heartbeat. Does
 * nothing when it has ended, which may happen at any moment.
 *
 * @throws Problem `thing.unknown`
 */
export async function cancelBacktest(pool: Pool, workspaceId: string, id: number): Promise<void> {
  const cancelled = await pool.query(
    `update backtest set state = 'cancelled', ended_at = now()
      where workspace_id = $1 and id = $2 and state = 'running' and purpose = 'backtest'`,
    [workspaceId, id],
  );
  if (cancelled.rowCount !== 1) await readBacktest(pool, workspaceId, id);
}

/** @throws Problem `thing.unknown`, `state.conflict` while it runs */
export async function removeBacktest(pool: Pool, workspaceId: string, id: number): Promise<void> {
  await endSilent(pool);
  const removed = await pool.query(
    `delete from backtest where workspace_id = $1 and id = $2 and state <> 'running' and purpose = 'backtest'`,
    [workspaceId, id],
  );
  if (removed.rowCount === 1) return;
  await readBacktest(pool, workspaceId, id);
  throw new Problem('state.conflict', `Backtest ${id} is running; cancel it first.`);
}

function unknownBacktest(id: number): Problem {
  return new Problem('thing.unknown', `There is no backtest ${id} in this workspace.`);
}

function backtestOf(row: BacktestRow): Backtest {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    state: row.state,
    author: row.author,
    startedAtMs: row.started_at.getTime(),
    endedAtMs: row.ended_at?.getTime(),
    policyVersion: row.tried_version ?? undefined,
    against: row.against ?? undefined,
    history: row.history ?? undefined,
    fromMs: row.from_ms ?? undefined,
    toMs: row.to_ms ?? undefined,
    asLive: row.as_live,
    vary: row.vary ?? undefined,
    done: row.done,
    total: row.total,
    error: row.error ?? undefined,
  };
}

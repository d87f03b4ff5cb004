import { Problem } from '@ringfence/contract';
import type { ModelCard } from '@ringfence/models';
import type { PolicyFile } from '@ringfence/policy';
import type { Pool } from 'pg';
import { type Backtest, endSilent, endedWithItsProcess, insertRunning, isSilent } from '../backtests/backtest-rows.ts';
import type { ModelComparison } from './model-comparison.ts';
import type { ModelReport } from './model-report.ts';

/** A model that is trained by the service, or compared with another. */
export interface Training extends Pick<
  Backtest,
  'id' | 'state' | 'author' | 'startedAtMs' | 'endedAtMs' | 'history' | 'fromMs' | 'toMs' | 'done' | 'total' | 'error'
> {
  readonly purpose: 'training' | 'comparison';
  readonly model: string;
  readonly choices: TrainingChoices;
  /** What `done` and `total` count. */
  readonly phase: 'events' | 'trees' | undefined;
  /** Of the artifact, once it is done; of a comparison, that of the challenger. */
  readonly sha256: string | undefined;
}

/** What was chosen, as it is stored. Absent members have their defaults. */
export interface TrainingChoices {
  readonly delayMs: number;
  readonly trees?: number;
  readonly leaves?: number;
  readonly rate?: number;
  readonly legitimateShare?: number;
  readonly halfLifeMs?: number;
  /** Inputs of which more may only raise, or only lower, the probability. */
  readonly up?: readonly string[];
  readonly down?: readonly string[];
}

export interface NewTraining extends Pick<
  Training,
  'purpose' | 'author' | 'model' | 'choices' | 'history' | 'fromMs' | 'toMs'
> {
  readonly workspaceId: string;
  readonly files: readonly PolicyFile[];
  /** Of a comparison: the artifact of the challenger. */
  readonly challenger?: TrainedArtifact;
}

export interface TrainedArtifact {
  readonly text: string;
  readonly sha256: string;
}

/** What is stored at the end, beside the artifact. */
export interface TrainingResult {
  /** Of a training. */
  readonly card?: ModelCard;
  readonly report?: ModelReport;
  /** With the model that the policy had. */
  readonly comparison?: ModelComparison;
}

/** @throws Problem `state.conflict` while a backtest or another training runs in any workspace */
export async function insertTraining(pool: Pool, made: NewTraining): Promise<number> {
  return insertRunning(pool, made.workspaceId, async () => {
    const { rows } = await pool.query<{ id: number }>(
      `insert into backtest (workspace_id, state, author, files, policy_version, history, from_ms, to_ms, purpose, model,
                             request, artifact, sha256)
       values ($1, 'running', $2, $3, 0, $4, $5, $6, $7, $8, $9, $10, $11) returning id`,
      [
        made.workspaceId,
        made.author,
        JSON.stringify(made.files),
        made.history ?? null,
        made.fromMs ?? null,
        made.toMs ?? null,
        made.purpose,
        made.model,
        JSON.stringify(made.choices),
        made.challenger?.text ?? null,
        made.challenger?.sha256 ?? null,
      ],
    );
    return rows[0]!.id;
  });
}

/** Stores the result with the last progress, unless it was given up before. @param artifact of a training */
export async function finishTraining(
  pool: Pool,
  id: number,
  end: {
    readonly result: TrainingResult;
    readonly artifact: TrainedArtifact | undefined;
    readonly progress: { readonly phase?: 'events' | 'trees'; readonly total: number };
  },
): Promise<void> {
  const { result, artifact, progress } = end;
  await pool.query(
    `update backtest set state = 'done', result = $2, artifact = coalesce($3, artifact), sha256 = coalesce($4, sha256),
            phase = $5, done = $6, total = $6, ended_at = now(), heartbeat_at = now()
      where id = $1 and state = 'running'`,
    [
      id,
      JSON.stringify(result),
      artifact?.text ?? null,
      artifact?.sha256 ?? null,
      progress.phase ?? null,
      progress.total,
    ],
  );
}

interface TrainingRow {
  readonly id: number;
  readonly purpose: Training['purpose'];
  readonly model: string;
  readonly state: Training['state'];
  readonly author: string;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly history: string | null;
  readonly from_ms: number | null;
  readonly to_ms: number | null;
  readonly request: TrainingChoices;
  readonly phase: 'events' | 'trees' | null;
  readonly done: number;
  readonly total: number;
  readonly error: string | null;
  readonly sha256: string | null;
}

const columns = `id, purpose, model, case when ${isSilent} then 'failed' else state end as state, author, started_at,
  case when ${isSilent} then heartbeat_at else ended_at end as ended_at, history, from_ms, to_ms, request, phase, done,
  total, case when ${isSilent} then '${endedWithItsProcess}' else error end as error, sha256`;
const isTraining = `workspace_id = $1 and purpose <> 'backtest'`;

/** Newest first. */
export async function listTrainings(pool: Pool, workspaceId: string): Promise<readonly Training[]> {
  const { rows } = await pool.query<TrainingRow>(
    `select ${columns} from backtest where ${isTraining} order by id desc`,
    [workspaceId],
  );
  return rows.map(trainingOf);
}

export interface TrainingWithResult extends Training {
  /** Once it is done. */
  readonly result: TrainingResult | undefined;
}

/** @throws Problem `thing.unknown` */
export async function readTraining(pool: Pool, workspaceId: string, id: number): Promise<TrainingWithResult> {
  const { rows } = await pool.query<TrainingRow & { readonly result: TrainingResult | null }>(
    `select ${columns}, result from backtest where ${isTraining} and id = $2`,
    [workspaceId, id],
  );
  const row = rows[0];
  if (row === undefined) throw unknownTraining(id);
  return { ...trainingOf(row), result: row.result ?? undefined };
}

/** The policy that a model is trained for. @throws Problem `thing.unknown` */
export async function readTrainingFiles(pool: Pool, id: number): Promise<readonly PolicyFile[]> {
  const { rows } = await pool.query<{ files: readonly PolicyFile[] }>('select files from backtest where id = $1', [id]);
  if (rows[0] === undefined) throw unknownTraining(id);
  return rows[0].files;
}

/** @throws Problem `thing.unknown`, also of a training that has made no model */
export async function readTrainedArtifact(pool: Pool, workspaceId: string, id: number): Promise<TrainedArtifact> {
  const { rows } = await pool.query<{ artifact: string | null; sha256: string | null }>(
    `select artifact, sha256 from backtest where ${isTraining} and id = $2`,
    [workspaceId, id],
  );
  const row = rows[0];
  if (row === undefined) throw unknownTraining(id);
  if (row.artifact === null || row.sha256 === null)
    throw new Problem('thing.unknown', `Training ${id} has made no model.`);
  return { text: row.artifact, sha256: row.sha256 };
}

/** What an artifact was trained on, if a training of this workspace made it and is kept. */
export async function findTrainingOf(
  pool: Pool,
  workspaceId: string,
  hash: string,
): Promise<TrainingWithResult | undefined> {
  const { rows } = await pool.query<{ id: number }>(
    `select id from backtest where workspace_id = $1 and sha256 = $2 and purpose = 'training' and state = 'done'
      order by id desc limit 1`,
    [workspaceId, hash],
  );
  return rows[0] === undefined ? undefined : readTraining(pool, workspaceId, rows[0].id);
}

/** Cancels it. Does nothing when it has ended. @throws Problem `thing.unknown` */
export async function cancelTraining(pool: Pool, workspaceId: string, id: number): Promise<void> {
  const cancelled = await pool.query(
    `update backtest set state = 'cancelled', ended_at = now() where ${isTraining} and id = $2 and state = 'running'`,
    [workspaceId, id],
  );
  if (cancelled.rowCount !== 1) await readTraining(pool, workspaceId, id);
}

/** @throws Problem `thing.unknown`, `state.conflict` while it runs */
export async function removeTraining(pool: Pool, workspaceId: string, id: number): Promise<void> {
  await endSilent(pool);
  const removed = await pool.query(`delete from backtest where ${isTraining} and id = $2 and state <> 'running'`, [
    workspaceId,
    id,
  ]);
  if (removed.rowCount === 1) return;
  await readTraining(pool, workspaceId, id);
  throw new Problem('state.conflict', `Training ${id} is running; cancel it first.`);
}

function unknownTraining(id: number): Problem {
  return new Problem('thing.unknown', `There is no training ${id} in this workspace.`);
}

function trainingOf(row: TrainingRow): Training {
  return {
    id: row.id,
    purpose: row.purpose,
    model: row.model,
    state: row.state,
    author: row.author,
    startedAtMs: row.started_at.getTime(),
    endedAtMs: row.ended_at?.getTime(),
    history: row.history ?? undefined,
    fromMs: row.from_ms ?? undefined,
    toMs: row.to_ms ?? undefined,
    choices: row.request,
    phase: row.phase ?? undefined,
    done: row.done,
    total: row.total,
    error: row.error ?? undefined,
    sha256: row.sha256 ?? undefined,
  };
}

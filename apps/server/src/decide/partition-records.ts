import type { GradualCheckpoint } from '@ringfence/engine';
import type { ClientBase, Pool } from 'pg';
import type { ModelDayCount } from './model-counts.ts';
import { addModelCounts } from './model-days.ts';
import type { RuleCounts } from './rule-counts.ts';
import { writeChain } from './chain/chain-rows.ts';
import type { ChainRow, RecordChain } from './chain/record-chain.ts';
import type { BuiltSegment, PostgresEntityStates } from './entity-states/postgres-entity-states.ts';
import { FencedError, type Position } from './batch-writer.ts';
import type { Ownership } from './ownership.ts';
import type { StepFailure } from '../records/step-failure.ts';
import type { PolicyVersionError } from '../policies/stored-policy.ts';

/** What a host reads when it takes a partition: how far effects were written, and where stepping resumes. */
export interface Found {
  readonly position: Position;
  readonly checkpoint: FoundCheckpoint | undefined;
  /** Quarantined offsets, which are not stepped. */
  readonly quarantined: ReadonlySet<number>;
}

export interface FoundCheckpoint extends Position {
  readonly engineVersion: string;
  readonly state: Buffer;
}

/**
 * Waits until every transaction of an earlier run that moved something has ended. A commit in flight when its
 * connection was lost may still arrive: it must not change what the next run starts from while that is read.
 * Checkpoints lock the owner's row, batches the position's. A statement that has locked neither yet is not seen here:
 * of two batches, the one that reaches the position second is not written.
 *
 * @throws FencedError when the partition has another owner
 */
export async function earlierLivesEnded(pool: Pool, ownership: Ownership): Promise<void> {
  await lockOwner(pool, ownership, 'update');
  await pool.query(`select 1 from engine_position where workspace_id = $1 for update`, [ownership.workspaceId]);
}

export async function readFound(pool: ClientBase | Pool, workspaceId: string): Promise<Found> {
  const position = await pool.query<{ next_offset: number; decided: number; digest: Buffer }>(
    `select next_offset, decided, digest from engine_position where workspace_id = $1`,
    [workspaceId],
  );
  const checkpoint = await pool.query<{
    next_offset: number;
    decided: number;
    digest: Buffer;
    engine_version: string;
    state: Buffer;
  }>(`select next_offset, decided, digest, engine_version, state from checkpoint where workspace_id = $1`, [
    workspaceId,
  ]);
  const at = position.rows[0]!;
  const saved = checkpoint.rows[0];
  return {
    position: toPosition(at),
    checkpoint:
      saved === undefined
        ? undefined
        : { ...toPosition(saved), engineVersion: saved.engine_version, state: saved.state },
    quarantined: await readQuarantined(pool, workspaceId),
  };
}

/** The offset of the first record that is not decided yet; 0 when none is decided. */
export async function readDecidedTo(pool: Pool, workspaceId: string): Promise<number> {
  const found = await pool.query<{ next_offset: number }>(
    `select next_offset from engine_position where workspace_id = $1`,
    [workspaceId],
  );
  return found.rows[0]?.next_offset ?? 0;
}

/** Quarantined offsets, which are not stepped. */
export async function readQuarantined(pool: ClientBase | Pool, workspaceId: string): Promise<ReadonlySet<number>> {
  const found = await pool.query<{ offset: number }>(
    `select "offset" from quarantine where workspace_id = $1 and quarantined_at is not null`,
    [workspaceId],
  );
  return new Set(found.rows.map((row) => row.offset));
}

function toPosition(row: { next_offset: number; decided: number; digest: Buffer }): Position {
  return { nextOffset: row.next_offset, decided: row.decided, digest: row.digest };
}

/** Everything that a checkpoint writes, as of one offset; its entities are captured while they are written. */
export interface Capture extends Position {
  readonly engineVersion: string;
  readonly checkpoint: GradualCheckpoint;
  /** Log time of the last record that it covers. */
  readonly logTimeMs: number;
  readonly counts: RuleCounts;
  readonly modelCounts: readonly ModelDayCount[];
}

/** A capture whose entities are sealed, with the chain of the records that it covers. */
export interface Collected extends Capture {
  readonly entities: readonly BuiltSegment[];
  readonly chain: readonly ChainRow[];
}

/** The partition whose checkpoint is moved, with its fence. */
export interface CheckpointTarget {
  readonly ownership: Ownership;
  readonly states: PostgresEntityStates;
  readonly chain: RecordChain;
}

/**
 * Moves the checkpoint: entity states, the engine's global state, the counts of rules and models and the chain of
 * records, as of one offset, in one transaction behind the fence.
 *
 * @throws FencedError when the partition has another owner
 */
export async function writeCheckpoint(client: ClientBase, target: CheckpointTarget, capture: Collected): Promise<void> {
  const { ownership, states, chain } = target;
  await client.query('begin');
  try {
    await holdOwnership(client, ownership);
    await states.removeSubjects(capture.checkpoint.erased, client);
    await states.store(capture.entities, client);
    await states.removeExpired(capture.logTimeMs, client);
    await states.seal({ nextOffset: capture.nextOffset, chainFrom: chain.since }, client);
    await writeChain(client, states.chainOf, capture.chain);
    await addRuleCounts(client, ownership.workspaceId, capture.counts);
    await addModelCounts(client, ownership.workspaceId, capture.modelCounts);
    await client.query({
      name: 'checkpoint_move',
      text: `insert into checkpoint (workspace_id, next_offset, decided, digest, engine_version, state)
             values ($1, $2, $3, $4, $5, $6)
             on conflict (workspace_id) do update
               set next_offset = $2, decided = $3, digest = $4, engine_version = $5, state = $6, made_at = now()`,
      values: [
        ownership.workspaceId,
        capture.nextOffset,
        capture.decided,
        capture.digest,
        capture.engineVersion,
        states.sealState(capture.checkpoint.globals, capture.nextOffset),
      ],
    });
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Keeps the owner unchanged until the transaction ends. @throws FencedError when the partition has another owner */
export function holdOwnership(client: ClientBase, ownership: Ownership): Promise<void> {
  return lockOwner(client, ownership, 'share');
}

async function lockOwner(
  client: ClientBase | Pool,
  { workspaceId, epoch }: Ownership,
  lock: 'share' | 'update',
): Promise<void> {
  const owner = await client.query(`select 1 from partition_owner where workspace_id = $1 and epoch = $2 for ${lock}`, [
    workspaceId,
    epoch,
  ]);
  if (owner.rowCount !== 1) throw new FencedError(`workspace ${workspaceId} has another owner`);
}

async function addRuleCounts(client: ClientBase, workspaceId: string, counts: RuleCounts): Promise<void> {
  const rows = counts.rows();
  if (rows.length === 0) return;
  await client.query({
    name: 'rule_counts',
    text: `insert into rule_health as h (workspace_id, policy_version, reason, fired, shadow, suppressed, missing)
           select $1, r.* from unnest($2::integer[], $3::integer[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]) as r
           on conflict (workspace_id, policy_version, reason) do update
             set fired = h.fired + excluded.fired, shadow = h.shadow + excluded.shadow,
                 suppressed = h.suppressed + excluded.suppressed, missing = h.missing + excluded.missing`,
    values: [
      workspaceId,
      rows.map((row) => row.policyVersion),
      rows.map((row) => row.reason),
      rows.map((row) => row.fired),
      rows.map((row) => row.shadow),
      rows.map((row) => row.suppressed),
      rows.map((row) => row.missing),
    ],
  });
}

/** Failures after which a record is quarantined. */
const triesMax = 3;

/**
 * Counts a failure of the engine on a record; the third one quarantines it. Call behind a fence: a process that lost
 * the partition may fail on entities that the new owner has moved on.
 *
 * @returns whether the record is quarantined now
 */
export async function noteFailure(client: ClientBase, workspaceId: string, failure: StepFailure): Promise<boolean> {
  const noted = await client.query<{ quarantined: boolean }>(
    `insert into quarantine as q (workspace_id, "offset", tries, error) values ($1, $2, 1, $3)
     on conflict (workspace_id, "offset") do update
       set tries = q.tries + 1, error = $3,
           quarantined_at = case when q.tries + 1 >= ${triesMax} then coalesce(q.quarantined_at, now()) end
     returning quarantined_at is not null as quarantined`,
    [workspaceId, failure.offset, String(failure.cause)],
  );
  return noted.rows[0]!.quarantined;
}

/** The reason of a range that differs without a known cause. */
export const unknownReason = 'unknown: an error of the engine, or records that were changed';

/**
 * Records a range whose decisions, when replayed, differ from the recorded ones. A range that directly follows another
 * with the same reason extends it. Call behind a fence, like `noteFailure`.
 */
export async function noteIrreproducible(
  client: ClientBase,
  workspaceId: string,
  range: { readonly from: number; readonly to: number; readonly reason: string },
): Promise<void> {
  await client.query(
    `with longer as (
       update irreproducible_range set to_offset = $3 where workspace_id = $1 and to_offset = $2 and reason = $4 returning 1
     )
     insert into irreproducible_range (workspace_id, from_offset, to_offset, reason)
     select $1, $2, $3, $4 where not exists (select 1 from longer)
     on conflict do nothing`,
    [workspaceId, range.from, range.to, range.reason],
  );
}

/**
 * Records that the workspace is paused, for people and for all processes. Call behind the fence: only its owner may.
 */
export async function notePause(client: ClientBase, workspaceId: string, error: PolicyVersionError): Promise<void> {
  await client.query(
    `insert into engine_pause (workspace_id, version, error) values ($1, $2, $3)
     on conflict (workspace_id) do update set version = $2, error = $3`,
    [workspaceId, error.version, error.message],
  );
}

/** Records that it decides again. Call behind the fence. */
export async function forgetPause(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query(`delete from engine_pause where workspace_id = $1`, [workspaceId]);
}

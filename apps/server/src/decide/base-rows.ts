import type { ClientBase, Pool } from 'pg';
import { PostgresEntityStates } from './entity-states/postgres-entity-states.ts';
import { type Capture, type CheckpointTarget, type FoundCheckpoint, holdOwnership } from './partition-records.ts';
import { forgetModelDays } from './model-days.ts';
import type { ReplayStart } from './replay.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { inTransaction } from '../platform/database/transactions.ts';

/** Another process moved the base: two worked at the same time because the connection of one lost its lock. */
export class BaseMovedError extends Error {
  override readonly name = 'BaseMovedError';
}

/** The stored base: a checkpoint at which the kept log begins. */
export interface Base extends FoundCheckpoint {
  /** The last erasure that its state reflects. */
  readonly erasureId: number;
}

export async function readBase(pool: ClientBase | Pool, workspaceId: string): Promise<Base | undefined> {
  const found = await pool.query<{
    next_offset: number;
    decided: number;
    digest: Buffer;
    engine_version: string;
    state: Buffer;
    erasure_id: number;
  }>(`select next_offset, decided, digest, engine_version, state, erasure_id from log_base where workspace_id = $1`, [
    workspaceId,
  ]);
  const row = found.rows[0];
  if (row === undefined) return undefined;
  const { next_offset: nextOffset, engine_version: engineVersion, erasure_id: erasureId, ...rest } = row;
  return { nextOffset, engineVersion, erasureId, ...rest };
}

/** The offset of the base, and whether it may contain data of a client erased since. */
export async function lookAtBase(
  pool: Pool,
  workspaceId: string,
): Promise<{ readonly nextOffset: number; readonly holdsErased: boolean }> {
  const found = await pool.query<{ next_offset: number; holds_erased: boolean }>(
    `select b.next_offset, exists (select 1 from erasure e where e.workspace_id = $1 and e.id > b.erasure_id) as holds_erased
       from log_base b where b.workspace_id = $1`,
    [workspaceId],
  );
  const row = found.rows[0];
  return { nextOffset: row?.next_offset ?? 0, holdsErased: row?.holds_erased ?? false };
}

/**
 * Keeps the base unmoved until the transaction ends.
 *
 * @param fromOffset the expected offset of the base; 0 for none
 * @throws BaseMovedError when the base is at another offset
 */
export async function holdBase(client: ClientBase, workspaceId: string, fromOffset: number): Promise<void> {
  const found = await client.query<{ next_offset: number }>(
    `select next_offset from log_base where workspace_id = $1 for share`,
    [workspaceId],
  );
  if ((found.rows[0]?.next_offset ?? 0) !== fromOffset)
    throw new BaseMovedError(`workspace ${workspaceId}: ${movedMessage}`);
}

/** Where a replay of the kept log begins; `undefined` when nothing was removed. Call within `whileAllIsKept`. */
export async function readStart(
  { pool, subjects }: { readonly pool: Pool; readonly subjects: Pick<SubjectKeys, 'bySubject'> },
  workspace: Workspace,
): Promise<ReplayStart | undefined> {
  const base = await readBase(pool, workspace.id);
  if (base === undefined) return undefined;
  const states = new PostgresEntityStates(workspace, 'base', subjects);
  return { ...base, globals: states.openState(base), load: (keys) => states.load(keys, pool) };
}

/** Clients erased after a given erasure, and the id of the last erasure overall. */
export async function erasedSince(
  pool: Pool,
  workspaceId: string,
  erasureId: number,
): Promise<{ readonly subjects: readonly string[]; readonly lastId: number }> {
  const last = await pool.query<{ id: number }>(`select coalesce(max(id), 0) as id from erasure`);
  const lastId = last.rows[0]!.id;
  const found = await pool.query<{ subject: string }>(
    `select subject from erasure where workspace_id = $1 and id > $2 and id <= $3`,
    [workspaceId, erasureId, lastId],
  );
  return { subjects: found.rows.map(({ subject }) => subject), lastId };
}

/** The entities of a base, ready to be written. */
type Collected = Awaited<ReturnType<PostgresEntityStates['collect']>>;

export interface BaseCapture {
  readonly workspaceId: string;
  readonly capture: Capture;
  readonly erasureId: number;
  /** The offset of the base that this one replaces; 0 for none. */
  readonly fromOffset: number;
}

/**
 * Writes the base as of one offset, atomically. Data of a client erased concurrently does not come back: an erasure
 * either waits for this commit and removes what it wrote, or this transaction sees it.
 *
 * @throws BaseMovedError when the base is no longer at `fromOffset`
 */
export async function writeBase(pool: Pool, states: PostgresEntityStates, base: BaseCapture): Promise<void> {
  const collected = await states.collect(base.capture.checkpoint);
  await inTransaction(pool, (client) => writeAll(client, { states, collected }, base));
}

/**
 * Copies the base to the checkpoint of a partition that has none, behind the fence: a lost checkpoint is rebuilt from
 * the log, which begins at its base.
 *
 * @returns whether there is a base
 * @throws FencedError when the partition has another owner
 */
export async function checkpointFromBase(
  pool: Pool,
  base: PostgresEntityStates,
  { ownership, states }: Pick<CheckpointTarget, 'ownership' | 'states'>,
): Promise<boolean> {
  const { workspaceId } = ownership;
  return inTransaction(pool, async (client) => {
    await holdOwnership(client, ownership);
    await forgetModelDays(client, workspaceId);
    await states.replaceBy(base, client);
    const made = await client.query(
      `insert into checkpoint (workspace_id, next_offset, decided, digest, engine_version, state)
       select workspace_id, next_offset, decided, digest, engine_version, state from log_base where workspace_id = $1`,
      [workspaceId],
    );
    return made.rowCount === 1;
  });
}

async function writeAll(
  client: ClientBase,
  { states, collected }: { readonly states: PostgresEntityStates; readonly collected: Collected },
  base: BaseCapture,
): Promise<void> {
  const { workspaceId, capture, erasureId, fromOffset } = base;
  await states.removeSubjects(capture.checkpoint.erased, client);
  await states.store(collected, client);
  await states.removeExpired(capture.logTimeMs, client);
  await states.seal({ nextOffset: capture.nextOffset, chainFrom: 0 }, client);
  await client.query(`lock table erasure in share mode`);
  await client.query(
    `delete from base_entity b using erasure e
      where b.workspace_id = $1 and e.workspace_id = $1 and e.subject = b.subject and e.id > $2`,
    [workspaceId, erasureId],
  );
  const moved = await client.query(
    `insert into log_base as b (workspace_id, next_offset, decided, digest, engine_version, state, erasure_id)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (workspace_id) do update
       set next_offset = $2, decided = $3, digest = $4, engine_version = $5, state = $6, erasure_id = $7, made_at = now()
     where b.next_offset = $8`,
    [
      workspaceId,
      capture.nextOffset,
      capture.decided,
      capture.digest,
      capture.engineVersion,
      states.sealState(capture.checkpoint.globals, capture.nextOffset),
      erasureId,
      fromOffset,
    ],
  );
  if (moved.rowCount !== 1) throw new BaseMovedError(`workspace ${workspaceId}: ${movedMessage}`);
}

const movedMessage = 'another process moved the base';

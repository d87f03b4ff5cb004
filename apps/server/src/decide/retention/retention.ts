/**
 * Removes data past its retention period. One process at a time works in rounds:
 *
 *   note the position of every engine -> for each workspace, four at a time: move the base, drop the log before it, then the events
 *   and holds that the log no longer contains, then directives, reports of outcomes, finished actions and counts of models, then renew the device
 *   token key -> idempotency keys -> refused requests -> search entries of events of erased clients
 *
 * Everything is removed in bounded batches, so that nothing else stalls. What one round leaves, the next one removes.
 */
import { assert, dayMs, type EpochMs } from '@ringfence/contract';
import type { Outbox } from '@ringfence/delivery';
import type { EventLog, PostgresLog } from '@ringfence/log';
import type { Pool } from 'pg';
import type { LineLogger } from '../../platform/observability/thread-logger.ts';
import type { PolicySource } from '../../policies/policy-cache.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Position } from '../batch-writer.ts';
import type { AgedOut } from '../../platform/observability/metrics.ts';
import { removeChain } from '../chain/chain-rows.ts';
import { baseLimit } from '../../tenancy/workspaces/backfill-rows.ts';
import { retentionMs } from '../../tenancy/workspaces/retention-period.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { Semaphore } from '../../platform/semaphore.ts';
import { lookAtBase } from '../base-rows.ts';
import { forgetErased } from './forget-erased.ts';
import { LogBase } from './log-base.ts';
import { removeModelDays } from '../model-days.ts';
import { markAt, marksBetween, noteMarks, removeMarks } from './marks.ts';
import { removeActions, removeEvents, removeHolds, removeOutcomes, removeRecords, removeTold } from './remove-old.ts';
import { whenAlone } from './retention-lock.ts';
import type { RoundEnd } from './rounds.ts';
import { beforeStreams } from './wait-for-streams.ts';

/** Workspaces at the same time: one waits for the database while another steps. Each holds up to 64 MiB of entities. */
const workspacesMax = 4;
/** Records over which the base moves per round and workspace, so that the others get their turn: some 25 s. */
const moveRecordsMax = 250_000;
/**
 * A range of the log is dropped as a whole; when its oldest records are overdue by this much, it goes batch by batch.
 */
const patienceMs = dayMs;

export interface RetentionDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read' | 'head' | 'dropBefore' | 'deleteBefore' | 'purgeKeys'> &
    Pick<PostgresLog, 'sweepStore'>;
  readonly outbox: Pick<Outbox, 'removeFinished'>;
  readonly refused: { purge(): Promise<void> };
  readonly policies: PolicySource;
  /** Creates a separate cache: keys of clients not seen for a year must not evict others. */
  readonly makeSubjects: () => Pick<SubjectKeys, 'bySubject'>;
  readonly workspaces: () => readonly Workspace[];
  /** Rotates the key if needed for tokens to be readable for `keptForMs` at most. Returns whether it did. */
  readonly renewDeviceKey: (workspaceId: string, keptForMs: number) => Promise<boolean>;
  readonly now: () => EpochMs;
  readonly logger: LineLogger;
  readonly removed: (what: AgedOut, count: number) => void;
}

export class Retention {
  readonly #deps: RetentionDeps;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** One round, unless another process is working. `more`: some expired data is still there. */
  async round(stop: AbortSignal): Promise<RoundEnd> {
    return (await whenAlone(this.#deps.pool, () => this.#removeAll(stop))) ?? 'elsewhere';
  }

  async #removeAll(stop: AbortSignal): Promise<'done' | 'more'> {
    const { pool, log, refused, workspaces, now, removed } = this.#deps;
    await noteMarks(pool, now());
    const turns = new Semaphore(workspacesMax);
    const ends = await Promise.all(
      workspaces().map(async (workspace) => {
        const done = await turns.take();
        return this.#tryRemoveOf(workspace, stop).finally(done);
      }),
    );
    removed('keys', await log.purgeKeys());
    await log.sweepStore();
    await refused.purge();
    if (!(await forgetErased(pool, stop))) ends.push('more');
    if (ends.every((end) => end === 'done')) await noteRound(pool, now());
    return ends.includes('more') ? 'more' : 'done';
  }

  /** A failure in one workspace does not keep expired data of the others. */
  async #tryRemoveOf(workspace: Workspace, stop: AbortSignal): Promise<'done' | 'more' | 'failed'> {
    try {
      return (await this.#removeOf(workspace, stop)) ? 'done' : 'more';
    } catch (error) {
      const fields = { workspace: workspace.id, err: error };
      this.#deps.logger.error(fields, 'expired data could not be removed; will retry');
      return 'failed';
    }
  }

  /** @returns whether no expired data is left */
  async #removeOf(workspace: Workspace, stop: AbortSignal): Promise<boolean> {
    const { now, outbox, logger, removed } = this.#deps;
    const { keepEvents, keepActions } = workspace.settings;
    const eventsBeforeMs = await beforeStreams(this.#deps, workspace.id, now() - keptFor(keepEvents));
    const actionsBeforeMs = await beforeStreams(this.#deps, workspace.id, now() - keptFor(keepActions));
    const log = await this.#removeLog(workspace, eventsBeforeMs, stop);
    const told = Number.isFinite(eventsBeforeMs)
      ? await removeTold(this.#deps.pool, { workspaceId: workspace.id, stop }, eventsBeforeMs)
      : nothing;
    const outcomes = Number.isFinite(eventsBeforeMs)
      ? await removeOutcomes(this.#deps.pool, { workspaceId: workspace.id, stop }, eventsBeforeMs)
      : nothing;
    const actions = Number.isFinite(actionsBeforeMs)
      ? await removeActions(outbox, { workspaceId: workspace.id, stop }, actionsBeforeMs)
      : nothing;
    await removeModelDays(this.#deps.pool, workspace.id, now());
    const counts = { records: log.records, events: log.events, actions: actions.count };
    for (const what of ['records', 'events', 'actions'] as const) removed(what, counts[what]);
    if (counts.records + counts.events + counts.actions > 0) {
      const kept = { keepEvents, keepActions };
      logger.info({ workspace: workspace.id, ...counts, ...kept }, 'removed data past its retention period');
    }
    await this.#renewKey(workspace);
    return log.isAll && told.isAll && outcomes.isAll && actions.isAll;
  }

  /** Device tokens expire by the end of the key that opens them. */
  async #renewKey({ id, settings: { keepDeviceTokens } }: Workspace): Promise<void> {
    const keptForMs = keepDeviceTokens === undefined ? Infinity : keptFor(keepDeviceTokens);
    if (!Number.isFinite(keptForMs) || !(await this.#deps.renewDeviceKey(id, keptForMs))) return;
    this.#deps.logger.info({ workspace: id, keepDeviceTokens }, 'rotated the device token key because of its age');
  }

  async #removeLog(workspace: Workspace, beforeMs: number, stop: AbortSignal): Promise<RemovedLog> {
    const { pool, log } = this.#deps;
    const { id } = workspace;
    const base = await this.#moveBase(workspace, beforeMs, stop);
    const { start } = await log.head(id);
    const kept = await log.dropBefore(id, base.nextOffset);
    const [oldest] = await log.read(id, kept, 1);
    const isLate = oldest !== undefined && oldest.logTimeMs < beforeMs - patienceMs;
    const pieces = isLate ? await removeRecords(log, { workspaceId: id, stop }, base.nextOffset) : nothing;
    const head = await log.head(id);
    const events = await removeEvents(pool, { workspaceId: id, stop }, head.start);
    const holds = await removeHolds(pool, { workspaceId: id, stop }, { start: head.start, beforeMs });
    await removeMarks(pool, id, base.nextOffset);
    await removeChain(pool, id, head.start);
    const isAll = base.isThere && pieces.isAll && events.isAll && holds.isAll;
    return { records: head.start - start, events: events.count, isAll };
  }

  /** Moves the base to where all earlier records are expired, as far as this round goes. @returns the base */
  async #moveBase(
    workspace: Workspace,
    beforeMs: number,
    stop: AbortSignal,
  ): Promise<{ readonly nextOffset: number; readonly isThere: boolean }> {
    const { pool, log, makeSubjects, policies, logger } = this.#deps;
    const { nextOffset, holdsErased } = await lookAtBase(pool, workspace.id);
    const oldest = Number.isFinite(beforeMs) ? await markAt(pool, workspace.id, beforeMs) : undefined;
    const to = await notBeyondStarts(pool, workspace.id, { after: nextOffset, to: oldest });
    const isBehind = to !== undefined && to.nextOffset > nextOffset;
    if (!isBehind && !holdsErased) return { nextOffset, isThere: true };
    const base = await LogBase.open({ pool, log, subjects: makeSubjects(), policies, logger }, workspace);
    const isThere = !isBehind || (await base.moveTo(to, moveRecordsMax, stop));
    return { nextOffset: base.nextOffset, isThere };
  }
}

/** The last mark that no pending policy switch needs: its new features may start before a later one. */
async function notBeyondStarts(
  pool: Pool,
  workspaceId: string,
  { after, to }: { readonly after: number; readonly to: Position | undefined },
): Promise<Position | undefined> {
  let mark = to;
  while (mark !== undefined && mark.nextOffset > after) {
    const limit = await baseLimit(pool, workspaceId, mark.nextOffset);
    if (limit >= mark.nextOffset) return mark;
    mark = (await marksBetween(pool, workspaceId, { after, to: limit })).at(-1);
  }
  return mark;
}

interface RemovedLog {
  readonly records: number;
  readonly events: number;
  /** Whether no expired data is left. */
  readonly isAll: boolean;
}

const nothing = { count: 0, isAll: true };

function keptFor(written: string): number {
  const ms = retentionMs(written);
  assert(ms !== undefined, 'settings were checked before they were stored');
  return ms;
}

async function noteRound(pool: Pool, nowMs: number): Promise<void> {
  await pool.query(`update retention_round set finished_at = to_timestamp($1::float8 / 1000.0)`, [nowMs]);
}

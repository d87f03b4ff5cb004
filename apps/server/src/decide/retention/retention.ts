/**
 * Removes what is older than it is kept. One process does it at a time, in rounds:
 *
 *   note where every engine stands -> of each workspace: move the base, drop the log before it, then the events that
 *   the log keeps no more, then what people told the engine, then finished actions, then renew the key of device tokens
 *   -> idempotency keys -> refused requests -> by what events of erased clients were found
 *
 * Everything goes in bounded pieces, so that nothing else stalls. What a round leaves, the next one takes.
 */
import { assert, dayMs, type EpochMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import type { Outbox } from '@ringfence/delivery';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import type { HostLogger } from '../host-deps.ts';
import type { PolicySource } from '../../policies/policy-cache.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Position } from '../batch-writer.ts';
import type { AgedOut } from '../../platform/observability/metrics.ts';
import { baseLimit } from '../../tenancy/workspaces/backfill-rows.ts';
import { keptMs } from '../../tenancy/workspaces/retention-period.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { lookAtBase } from '../base-rows.ts';
import { forgetErased } from './forget-erased.ts';
import { LogBase } from './log-base.ts';
import { markAt, marksBetween, noteMarks, removeMarks } from './marks.ts';
import { removeActions, removeEvents, removeRecords, removeTold } from './remove-old.ts';
import { whenAlone } from './retention-lock.ts';

const roundEveryMs = hourMs;
/** After a start, and after a round that left something behind. */
const soonMs = secondMs;
/** While somebody reads the whole log, or removes: readers may follow each other, so a gap between two is enough. */
const elsewhereMs = minuteMs;
/** Records that the base moves over in one round of one workspace, so that the others have their turn: some 25 s. */
const moveRecordsMax = 250_000;
/** A range of the log goes as a whole; one that has records older than this beyond their time goes piece by piece. */
const patienceMs = dayMs;

export interface RetentionDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read' | 'head' | 'dropBefore' | 'deleteBefore' | 'purgeKeys'>;
  readonly outbox: Pick<Outbox, 'removeFinished'>;
  readonly refused: { purge(): Promise<void> };
  readonly policies: PolicySource;
  /** Keys of clients that were not heard of for a year: they must not push others out of a cache. */
  readonly makeSubjects: () => Pick<SubjectKeys, 'bySubject'>;
  readonly workspaces: () => readonly Workspace[];
  /** Answers whether the key was old enough for tokens to be readable for so long at most. */
  readonly renewDeviceKey: (workspaceId: string, keptForMs: number) => Promise<boolean>;
  readonly now: () => EpochMs;
  /** Resolves then, or when it is stopped. */
  readonly wait: (ms: number, stop: AbortSignal) => Promise<void>;
  readonly logger: HostLogger;
  readonly removed: (what: AgedOut, count: number) => void;
}

export class Retention {
  readonly #deps: RetentionDeps;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Runs until `stop`. */
  async run(stop: AbortSignal): Promise<void> {
    let waitMs = soonMs;
    for (;;) {
      await this.#deps.wait(waitMs, stop);
      if (stop.aborted) return;
      try {
        const end = await this.round(stop);
        waitMs = { more: soonMs, done: roundEveryMs, elsewhere: elsewhereMs }[end];
      } catch (error) {
        if (!stop.aborted) this.#deps.logger.error({ err: error }, 'a round of retention failed; it is made again');
        waitMs = roundEveryMs;
      }
    }
  }

  /** One round, unless another process is at it. `more`: something that is too old is still there. */
  async round(stop: AbortSignal): Promise<'done' | 'more' | 'elsewhere'> {
    return (await whenAlone(this.#deps.pool, () => this.#removeAll(stop))) ?? 'elsewhere';
  }

  async #removeAll(stop: AbortSignal): Promise<'done' | 'more'> {
    const { pool, log, refused, workspaces, now, removed } = this.#deps;
    await noteMarks(pool, now());
    const ends: ('done' | 'more' | 'failed')[] = [];
    for (const workspace of workspaces()) ends.push(await this.#tryRemoveOf(workspace, stop));
    removed('keys', await log.purgeKeys());
    await refused.purge();
    if (!(await forgetErased(pool, stop))) ends.push('more');
    if (ends.every((end) => end === 'done')) await noteRound(pool, now());
    return ends.includes('more') ? 'more' : 'done';
  }

  /** One workspace in trouble does not keep what is old of the others. */
  async #tryRemoveOf(workspace: Workspace, stop: AbortSignal): Promise<'done' | 'more' | 'failed'> {
    try {
      return (await this.#removeOf(workspace, stop)) ? 'done' : 'more';
    } catch (error) {
      const fields = { workspace: workspace.id, err: error };
      this.#deps.logger.error(fields, 'what is too old could not be removed; it is tried again');
      return 'failed';
    }
  }

  /** @returns whether nothing is left that is too old */
  async #removeOf(workspace: Workspace, stop: AbortSignal): Promise<boolean> {
    const { now, outbox, logger, removed } = this.#deps;
    const { keepEvents, keepActions } = workspace.settings;
    const [eventsBeforeMs, actionsBeforeMs] = [now() - keptFor(keepEvents), now() - keptFor(keepActions)];
    const log = await this.#removeLog(workspace, eventsBeforeMs, stop);
    const told = Number.isFinite(eventsBeforeMs)
      ? await removeTold(this.#deps.pool, { workspaceId: workspace.id, stop }, eventsBeforeMs)
      : nothing;
    const actions = Number.isFinite(actionsBeforeMs)
      ? await removeActions(outbox, { workspaceId: workspace.id, stop }, actionsBeforeMs)
      : nothing;
    const counts = { records: log.records, events: log.events, actions: actions.count };
    for (const what of ['records', 'events', 'actions'] as const) removed(what, counts[what]);
    if (counts.records + counts.events + counts.actions > 0) {
      const kept = { keepEvents, keepActions };
      logger.info({ workspace: workspace.id, ...counts, ...kept }, 'removed what is older than it is kept');
    }
    await this.#renewKey(workspace);
    return log.isAll && told.isAll && actions.isAll;
  }

  /** What device tokens hold is removed by the end of the key that opens them. */
  async #renewKey({ id, settings: { keepDeviceTokens } }: Workspace): Promise<void> {
    const keptForMs = keepDeviceTokens === undefined ? Infinity : keptFor(keepDeviceTokens);
    if (!Number.isFinite(keptForMs) || !(await this.#deps.renewDeviceKey(id, keptForMs))) return;
    this.#deps.logger.info({ workspace: id, keepDeviceTokens }, 'rotated the key of device tokens, by their age');
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
    await removeMarks(pool, id, base.nextOffset);
    const isAll = base.isThere && pieces.isAll && events.isAll;
    return { records: head.start - start, events: events.count, isAll };
  }

  /** The base after it was moved to where everything is too old, as far as this round goes. */
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

/** The last mark at which no switch is ahead whose new features begin with what lies before it. */
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
  /** Whether nothing is left that is too old. */
  readonly isAll: boolean;
}

const nothing = { count: 0, isAll: true };

function keptFor(written: string): number {
  const ms = keptMs(written);
  assert(ms !== undefined, 'settings were checked before they were stored');
  return ms;
}

async function noteRound(pool: Pool, nowMs: number): Promise<void> {
  await pool.query(`update retention_round set finished_at = to_timestamp($1::float8 / 1000.0)`, [nowMs]);
}

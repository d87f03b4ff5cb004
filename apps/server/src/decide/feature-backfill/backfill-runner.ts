import { type EngineState, newFeatures, stillWaiting } from '@ringfence/engine';
import type { EventLog } from '@ringfence/log';
import type { Feature, Policy } from '@ringfence/policy';
import { behindFence, type Fence } from '../../platform/database/transactions.ts';
import { isDatabaseUnavailable } from '../../platform/observability/database-unavailable.ts';
import type { PolicyCache } from '../../policies/policy-cache.ts';
import { PolicyVersionError } from '../../policies/stored-policy.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { foldAtOnce, type FoldFor, type PolicyRecord } from './folded-record.ts';
import { type FoldDeps, HistoryFold } from './history-fold.ts';
import { noteFailed, noteFolded, type FeatureBackfill, readFolding } from '../../tenancy/workspaces/backfill-rows.ts';
import { switchPolicy } from './switch-policy.ts';

export interface BackfillDeps extends FoldDeps {
  readonly log: Pick<EventLog, 'read' | 'appendWith'>;
  readonly policies: Pick<PolicyCache, 'exact'>;
  readonly now: () => number;
  /** Holds while this process owns the partition. */
  readonly fence: Fence;
  readonly logger: { error(fields: object, message: string): void };
}

/** Interval of progress updates. */
const noteMs = 500;
/** Interval of checks for work when no change is reported: a safety net. */
const lookMs = 30_000;
/** Duration of one turn: decisions wait for it at most this long. */
const turnMs = 10;

/**
 * The offset up to which a backfill may run: whether a waiting operation is decided before the switch is not known yet.
 * The switch does not wait for them: then some seconds of the log are left to be folded at the switch's record.
 */
function beforeWaiting(state: EngineState, foldedTo: number, nextOffset: number): number {
  let to = nextOffset;
  for (const offset of stillWaiting(state, state.logTimeMs)) if (offset >= foldedTo && offset < to) to = offset;
  return to;
}

/**
 * Computes the feature backfill of one partition while it decides, a turn at a time, and switches to the new policy
 * when it has caught up. The old policy decides meanwhile.
 */
export class BackfillRunner {
  readonly #deps: BackfillDeps;
  readonly #workspace: Workspace;
  readonly #quarantined: ReadonlySet<number>;
  #start: FeatureBackfill | undefined;
  #fold: HistoryFold | undefined;
  #lookedAtMs = -Infinity;
  #notedAtMs = -Infinity;

  constructor(deps: BackfillDeps, workspace: Workspace, quarantined: ReadonlySet<number>) {
    this.#deps = deps;
    this.#workspace = workspace;
    this.#quarantined = quarantined;
  }

  /** The workspace changed: a backfill may be due, or cancelled. */
  lookSoon(): void {
    this.#lookedAtMs = -Infinity;
  }

  /**
   * Works for some milliseconds.
   *
   * @param state the live engine's, which has stepped all records before `nextOffset`
   * @returns whether there is more to do immediately
   */
  async turn(state: EngineState, nextOffset: number): Promise<boolean> {
    const nowMs = this.#deps.now();
    if (nowMs - this.#lookedAtMs >= lookMs) {
      this.#lookedAtMs = nowMs;
      await this.#look(state);
    }
    if (this.#start === undefined || this.#fold === undefined) return false;
    const fold = this.#fold;
    try {
      const isThere = await fold.advance(
        beforeWaiting(state, fold.nextOffset, nextOffset),
        () => this.#deps.now() - nowMs < turnMs,
      );
      if (isThere) {
        await this.#switch(this.#start);
        return false;
      }
      await this.#note(nextOffset);
      return true;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      await this.#fail(this.#start, error as Error);
      return false;
    }
  }

  /**
   * Completes the running backfill up to the record; starts from the beginning when the running one is a different one.
   */
  async fold(record: PolicyRecord, of: FoldFor): Promise<EngineState> {
    const running = this.#fold;
    const isSame = running !== undefined && this.#isOf(running, record, of.features);
    this.#fold = undefined;
    this.#start = undefined;
    if (!isSame) return foldAtOnce(this.#deps, this.#workspace, this.#quarantined)(record, of);
    return running.end(record.offset, of.waiting);
  }

  #isOf(fold: HistoryFold, record: PolicyRecord, features: readonly Feature[]): boolean {
    if (this.#start?.version !== record.version || fold.nextOffset > record.offset) return false;
    const wanted = features.map(({ fingerprint }) => fingerprint);
    const isSameHistory = JSON.stringify(this.#start.history) === JSON.stringify(record.history);
    return (
      isSameHistory && wanted.length === fold.features.length && wanted.every((one, at) => one === fold.features[at])
    );
  }

  async #look(state: EngineState): Promise<void> {
    const start = await readFolding(this.#deps.pool, this.#workspace.id);
    if (start?.version === this.#start?.version) return;
    this.#start = start;
    this.#fold = undefined;
    if (start === undefined) return;
    const policy = await this.#policyOf(start);
    if (policy === undefined) return;
    const plan = { workspace: this.#workspace, policy, history: start.history, quarantined: this.#quarantined };
    this.#fold = new HistoryFold(this.#deps, { ...plan, features: newFeatures(state, policy) });
  }

  /** A version that this release refuses is not switched to; the current one keeps deciding. */
  async #policyOf(start: FeatureBackfill): Promise<Policy | undefined> {
    try {
      return await this.#deps.policies.exact(this.#workspace.id, start.version);
    } catch (error) {
      if (!(error instanceof PolicyVersionError)) throw error;
      await this.#fail(start, error);
      return undefined;
    }
  }

  async #fail(start: FeatureBackfill, error: Error): Promise<void> {
    const { pool, fence } = this.#deps;
    await behindFence(pool, fence, (client) => noteFailed(client, this.#named(start), error.message));
    this.#deps.logger.error({ workspace: this.#workspace.id, err: error }, 'the backfill of new features failed');
    this.#start = undefined;
    this.#fold = undefined;
  }

  async #note(nextOffset: number): Promise<void> {
    const nowMs = this.#deps.now();
    if (this.#start === undefined || this.#fold === undefined || nowMs - this.#notedAtMs < noteMs) return;
    this.#notedAtMs = nowMs;
    const { done, nextOffset: folded } = this.#fold;
    const total = Math.max(this.#start.total, done + nextOffset - folded);
    if (await noteFolded(this.#deps.pool, this.#named(this.#start), { done, total })) return;
    this.#start = undefined;
    this.#fold = undefined;
  }

  async #switch(start: FeatureBackfill): Promise<void> {
    const { pool, log, fence } = this.#deps;
    const done = this.#fold!.done;
    if (!(await noteFolded(pool, this.#named(start), { done, total: done }))) return;
    await switchPolicy({ pool, log, fence }, this.#workspace.id, start);
  }

  #named({ version }: FeatureBackfill): { readonly workspaceId: string; readonly version: number } {
    return { workspaceId: this.#workspace.id, version };
  }
}

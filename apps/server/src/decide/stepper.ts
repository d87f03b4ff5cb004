import { getRandomValues } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { assert } from '@ringfence/contract';
import {
  beginCheckpoint,
  checkpointCommitted,
  type EngineRecord,
  type EngineState,
  engineVersion,
  evict,
  type GradualCheckpoint,
  forgetErased,
  keysOf,
  newState,
  nextDueMs,
  readHead,
  residentBytes,
  restoreState,
  roomyShare,
  type SteppedTogether,
  stepTogether,
  supply,
  togetherMax,
} from '@ringfence/engine';
import { OperatorError } from '../platform/observability/operator-error.ts';
import { type Folding, together } from './feature-backfill/folded-record.ts';
import { SteppedBatch } from './batch.ts';
import type { Position } from './batch-writer.ts';
import type { PostgresEntityStates } from './entity-states/postgres-entity-states.ts';
import type { HostDeps } from './host-deps.ts';
import type { Capture, Found } from './partition-records.ts';
import type { OpenedRecord } from '../records/record-opener.ts';
import type { PolicySource } from '../policies/policy-cache.ts';
import { readReplaced, replacedReason } from '../policies/refused-policy.ts';
import { ModelCounts } from './model-counts.ts';
import { RuleCounts } from './rule-counts.ts';
import { StepFailure } from '../records/step-failure.ts';

/** Parts of the engine's tables that are scanned for eviction with every batch: about a millisecond. */
const evictedParts = 2;

/** Hash key of the engine's tables: names come from outside, and must not be chosen to collide. */
function newHashKey(): readonly [number, number] {
  const [first = 0, second = 0] = getRandomValues(new Int32Array(2));
  return [first, second];
}

export interface StepperDeps {
  readonly deps: Pick<HostDeps, 'pool'> & { readonly policies: PolicySource };
  readonly states: PostgresEntityStates;
  readonly workspaceId: string;
  /** Computes the feature backfill of a policy switch. */
  readonly fold: Folding;
  /** Memory bound for entities; cold ones are evicted and loaded again from the database. */
  readonly residentBytesMax: number;
  /** Hears how long the engine took. */
  readonly onStepped: (ms: number) => void;
}

/** The engine's state during one run: restored, stepped, captured. */
export class Stepper {
  /** The offset at which this run began. */
  readonly startOffset: number;
  readonly quarantined: ReadonlySet<number>;
  readonly #deps: StepperDeps['deps'];
  readonly #states: PostgresEntityStates;
  readonly #residentBytesMax: number;
  readonly #fold: Folding;
  readonly #onStepped: (ms: number) => void;
  readonly #workspaceId: string;
  readonly #state: EngineState;
  /** The engine version named by the last `engine` record; "" before the first. */
  #namedVersion: string;
  /** Whether a record that names this engine was created and is not stepped yet. */
  #isNaming = false;
  /** Since the last checkpoint. */
  #counts = new RuleCounts();
  readonly #modelCounts: ModelCounts;
  #unreadable = 0;
  /** Policy versions that decided part of this run. */
  readonly #policies = new Set<number>();
  /** Another engine version that decided part of this run. */
  #otherVersion: string | undefined;

  private constructor(
    from: StepperDeps,
    { state, modelCounts }: { readonly state: EngineState; readonly modelCounts: ModelCounts },
    found: Pick<Found, 'checkpoint' | 'quarantined'>,
  ) {
    this.#modelCounts = modelCounts;
    this.#deps = from.deps;
    this.#states = from.states;
    this.#residentBytesMax = from.residentBytesMax;
    this.#fold = from.fold;
    this.#onStepped = from.onStepped;
    this.#workspaceId = from.workspaceId;
    this.#state = state;
    this.#policies.add(state.plan.version);
    this.startOffset = found.checkpoint?.nextOffset ?? 0;
    this.quarantined = found.quarantined;
    this.#namedVersion = found.checkpoint?.engineVersion ?? '';
    this.#noteVersion(this.#namedVersion);
  }

  /** The state of the checkpoint, or an empty one. When no entity is stored, memory holds all of them. */
  static async restore(from: StepperDeps, found: Pick<Found, 'checkpoint' | 'quarantined'>): Promise<Stepper> {
    const { deps, states, workspaceId } = from;
    const modelCounts = new ModelCounts();
    const options = {
      onEvaluated: modelCounts.add,
      complete: await states.isEmpty(deps.pool),
      hashKey: newHashKey(),
      roomyBytes: from.residentBytesMax * roomyShare,
    };
    if (found.checkpoint === undefined) return new Stepper(from, { state: newState(options), modelCounts }, found);
    const globals = states.openState(found.checkpoint);
    const { policyVersion } = readHead(globals);
    const policy = policyVersion === 0 ? undefined : await deps.policies.policy(workspaceId, policyVersion);
    return new Stepper(from, { state: restoreState(globals, policy, options), modelCounts }, found);
  }

  /** Approximate memory of its entities. */
  get residentBytes(): number {
    return residentBytes(this.#state);
  }

  /** The engine's state, for reading. */
  get state(): EngineState {
    return this.#state;
  }

  /** A batch that continues at `at` and is counted in this run's rule counts. */
  newBatch(at: Position): SteppedBatch {
    return new SteppedBatch(at, this.#counts);
  }

  /** Evicts some cold entities, and loads those that a batch will need in one query. */
  async prefetch(opened: readonly OpenedRecord[]): Promise<void> {
    evict(this.#state, this.#residentBytesMax, evictedParts);
    if (this.#state.store.complete) return;
    const keys = new Set<string>();
    for (const { record } of opened) for (const key of keysOf(this.#state, record)) keys.add(key);
    await this.#supply([...keys]);
  }

  /**
   * Steps some records, beginning with the one at index `from`; their effects go into `batch`.
   *
   * @param of `isAlone`: only one record, which is shorter
   * @returns the index of the next one
   * @throws StepFailure when the engine throws: the state is unusable then
   */
  async stepSome(
    opened: readonly OpenedRecord[],
    { from, isAlone }: { readonly from: number; readonly isAlone: boolean },
    batch: SteppedBatch,
  ): Promise<number> {
    const some = opened.slice(from, from + (isAlone ? 1 : togetherMax));
    const given = some.map(({ record }) => record);
    const records = await this.#together(given);
    const effects = await this.#step(records);
    for (const [place, of] of effects.entries()) {
      const record = records[place]!;
      batch.add(record, some[place]!.epoch, of);
      if (record.kind === 'unreadable') this.#unreadable += 1;
      if (record.kind === 'policy') this.#policies.add(record.version);
      if (record.kind !== 'engine') continue;
      this.#namedVersion = record.version;
      this.#isNaming = false;
      this.#noteVersion(record.version);
    }
    return from + effects.length;
  }

  /** A backfill that can never succeed is a failure of its record. */
  async #together(records: readonly EngineRecord[]): Promise<readonly EngineRecord[]> {
    try {
      return await together(records, this.#state, this.#fold);
    } catch (cause) {
      throw cause instanceof OperatorError ? new StepFailure(records[0]!.offset, cause) : cause;
    }
  }

  #noteVersion(version: string): void {
    if (version !== '' && version !== engineVersion) this.#otherVersion = version;
  }

  /** Steps at least the first record, loading what it or the next one needs. */
  async #step(records: readonly EngineRecord[]): Promise<SteppedTogether['effects']> {
    const given = new Set<string>();
    for (;;) {
      const { effects, keys } = this.#stepOnce(records);
      if (keys.some((key) => given.has(key)))
        throw new StepFailure(
          this.#state.steppingOffset,
          new Error('the engine requested keys that it was already given'),
        );
      for (const key of keys) given.add(key);
      await this.#supply(keys);
      if (effects.length > 0) return effects;
      // Many waiting operations are due at the same time: let other work of this thread run in between.
      if (keys.length === 0) await turn();
    }
  }

  #stepOnce(records: readonly EngineRecord[]): SteppedTogether {
    const sinceMs = performance.now();
    try {
      return stepTogether(this.#state, records);
    } catch (cause) {
      throw new StepFailure(this.#state.steppingOffset, cause);
    } finally {
      this.#onStepped(performance.now() - sinceMs);
    }
  }

  async #supply(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) supply(this.#state, await this.#states.load(keys, this.#deps.pool));
  }

  /** Milliseconds until the engine's next timer is due; infinite without one. */
  dueInMs(nowMs: number): number {
    const dueMs = nextDueMs(this.#state);
    return dueMs === undefined ? Infinity : Math.max(0, dueMs - nowMs);
  }

  /** Removes waiting operations and list entries of clients that were erased after this state was stored. */
  forgetErased(subjects: readonly string[]): void {
    forgetErased(this.#state, subjects);
  }

  /** Captures everything that a checkpoint at `at` contains; call it between two batches. */
  capture(at: Position): Capture {
    const checkpoint = beginCheckpoint(this.#state);
    assert(checkpoint.offset < at.nextOffset, 'a checkpoint contains nothing beyond its offset');
    const counts = this.#counts;
    this.#counts = new RuleCounts();
    const { logTimeMs } = this.#state;
    const modelCounts = this.#modelCounts.take();
    return { ...at, engineVersion: this.#namedVersion, checkpoint, logTimeMs, counts, modelCounts };
  }

  /** The checkpoint is committed: cold entities may be evicted, some with every following batch. */
  committed(checkpoint: GradualCheckpoint): void {
    checkpointCommitted(this.#state, checkpoint);
  }

  /** The payload of a record that names this engine; returned once whenever the log names another version or none. */
  newVersionPayload(): Buffer | undefined {
    if (this.#namedVersion === engineVersion || this.#isNaming) return undefined;
    this.#isNaming = true;
    return Buffer.from(JSON.stringify({ version: engineVersion }));
  }

  /** Why replayed decisions may differ from the recorded ones; `undefined` when no known reason applies. */
  async reasonOfDifference(): Promise<string | undefined> {
    if (this.#otherVersion !== undefined) return `decided by engine version ${this.#otherVersion}`;
    if (this.#unreadable > 0) return 'events of clients that were erased since';
    for (const [version, by] of await readReplaced(this.#deps.pool, this.#workspaceId)) {
      if (this.#policies.has(version)) return replacedReason(version, by);
    }
    return undefined;
  }
}

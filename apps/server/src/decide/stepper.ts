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
import type { PostgresEntityStates } from './postgres-entity-states.ts';
import type { HostDeps } from './host-deps.ts';
import type { Capture, Found } from './partition-records.ts';
import type { OpenedRecord } from '../records/record-opener.ts';
import type { PolicySource } from '../policies/policy-cache.ts';
import { readReplaced, replacedReason } from '../policies/refused-policy.ts';
import { RuleCounts } from './rule-counts.ts';
import { StepFailure } from '../records/step-failure.ts';

/** Parts of the engine's tables that are looked through with every batch: about a millisecond. */
const evictedParts = 2;

/** For the engine's tables: names come from outside, and nobody is to choose some that collide. */
function newHashKey(): readonly [number, number] {
  const [first = 0, second = 0] = getRandomValues(new Int32Array(2));
  return [first, second];
}

export interface StepperDeps {
  readonly deps: Pick<HostDeps, 'pool'> & { readonly policies: PolicySource };
  readonly states: PostgresEntityStates;
  readonly workspaceId: string;
  /** Folds what new features begin with. */
  readonly fold: Folding;
  /** Memory that entities may take; colder ones come back from the database. */
  readonly residentBytesMax: number;
}

/** One life of the engine's state: restored, stepped, captured. */
export class Stepper {
  /** Where this life began. */
  readonly startOffset: number;
  readonly quarantined: ReadonlySet<number>;
  readonly #deps: StepperDeps['deps'];
  readonly #states: PostgresEntityStates;
  readonly #residentBytesMax: number;
  readonly #fold: Folding;
  readonly #workspaceId: string;
  readonly #state: EngineState;
  /** The version of the engine that the last `engine` record named; "" before the first. */
  #namedVersion: string;
  /** Whether a record that names this engine was made and is not stepped yet. */
  #isNaming = false;
  /** Since the last checkpoint. */
  #counts = new RuleCounts();
  #unreadable = 0;
  /** Versions of the policy that decided some of it. */
  readonly #policies = new Set<number>();
  /** Another version of the engine that decided some of it. */
  #otherVersion: string | undefined;

  private constructor(from: StepperDeps, state: EngineState, found: Pick<Found, 'checkpoint' | 'quarantined'>) {
    this.#deps = from.deps;
    this.#states = from.states;
    this.#residentBytesMax = from.residentBytesMax;
    this.#fold = from.fold;
    this.#workspaceId = from.workspaceId;
    this.#state = state;
    this.#policies.add(state.plan.version);
    this.startOffset = found.checkpoint?.nextOffset ?? 0;
    this.quarantined = found.quarantined;
    this.#namedVersion = found.checkpoint?.engineVersion ?? '';
    this.#noteVersion(this.#namedVersion);
  }

  /** The state of the checkpoint, or an empty one. With nothing stored, everything there is, is in memory. */
  static async restore(from: StepperDeps, found: Pick<Found, 'checkpoint' | 'quarantined'>): Promise<Stepper> {
    const { deps, states, workspaceId } = from;
    const options = {
      complete: await states.isEmpty(deps.pool),
      hashKey: newHashKey(),
      roomyBytes: from.residentBytesMax * roomyShare,
    };
    if (found.checkpoint === undefined) return new Stepper(from, newState(options), found);
    const globals = states.openState(found.checkpoint.state);
    const { policyVersion } = readHead(globals);
    const policy = policyVersion === 0 ? undefined : await deps.policies.policy(workspaceId, policyVersion);
    return new Stepper(from, restoreState(globals, policy, options), found);
  }

  /** About how much memory its entities take. */
  get residentBytes(): number {
    return residentBytes(this.#state);
  }

  /** The engine's state, to be looked into. */
  get state(): EngineState {
    return this.#state;
  }

  /** A batch that goes on from `at`, counted with this life's rules. */
  newBatch(at: Position): SteppedBatch {
    return new SteppedBatch(at, this.#counts);
  }

  /** Lets some of what is cold go, and brings in what a batch will ask for, in one query. */
  async prefetch(opened: readonly OpenedRecord[]): Promise<void> {
    evict(this.#state, this.#residentBytesMax, evictedParts);
    if (this.#state.store.complete) return;
    const keys = new Set<string>();
    for (const { record } of opened) for (const key of keysOf(this.#state, record)) keys.add(key);
    await this.#supply([...keys]);
  }

  /**
   * Steps some records, the first of which stands at `from`; their effects go into `batch`.
   *
   * @returns where the next one stands
   * @throws StepFailure when the engine throws: the state is of no use any more
   */
  async stepSome(opened: readonly OpenedRecord[], from: number, batch: SteppedBatch): Promise<number> {
    const some = opened.slice(from, from + togetherMax);
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

  /** What cannot be folded, however often, is its record's failure. */
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

  /** Steps the first of them at least, and brings in what it or the next one needs. */
  async #step(records: readonly EngineRecord[]): Promise<SteppedTogether['effects']> {
    const given = new Set<string>();
    for (;;) {
      const { effects, keys } = this.#stepOnce(records);
      if (keys.some((key) => given.has(key)))
        throw new StepFailure(this.#state.underHand, new Error('the engine asks for what it was given'));
      for (const key of keys) given.add(key);
      await this.#supply(keys);
      if (effects.length > 0) return effects;
      // Many operations that waited are due at once: whoever else waits for this thread comes in between.
      if (keys.length === 0) await turn();
    }
  }

  #stepOnce(records: readonly EngineRecord[]): SteppedTogether {
    try {
      return stepTogether(this.#state, records);
    } catch (cause) {
      throw new StepFailure(this.#state.underHand, cause);
    }
  }

  async #supply(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) supply(this.#state, await this.#states.load(keys, this.#deps.pool));
  }

  /** Milliseconds until the next timer of the engine is due; infinite when none runs. */
  dueInMs(nowMs: number): number {
    const dueMs = nextDueMs(this.#state);
    return dueMs === undefined ? Infinity : Math.max(0, dueMs - nowMs);
  }

  /** Lets go what waits of clients that were erased after this state was stored, and what lists say of them. */
  forgetErased(subjects: readonly string[]): void {
    forgetErased(this.#state, subjects);
  }

  /** Everything that a checkpoint at `at` holds; call between two batches. */
  capture(at: Position): Capture {
    const checkpoint = beginCheckpoint(this.#state);
    assert(checkpoint.offset < at.nextOffset, 'a checkpoint holds nothing beyond its offset');
    const counts = this.#counts;
    this.#counts = new RuleCounts();
    return { ...at, engineVersion: this.#namedVersion, checkpoint, logTimeMs: this.#state.logTimeMs, counts };
  }

  /** The checkpoint is in the database: what is cold may leave memory, some with every batch that follows. */
  committed(checkpoint: GradualCheckpoint): void {
    checkpointCommitted(this.#state, checkpoint);
  }

  /** The payload of a record that names this engine, once each time that the log names another one or none. */
  newVersionPayload(): Buffer | undefined {
    if (this.#namedVersion === engineVersion || this.#isNaming) return undefined;
    this.#isNaming = true;
    return Buffer.from(JSON.stringify({ version: engineVersion }));
  }

  /** Why decisions may have come out otherwise than they were recorded; `undefined` when nothing known explains it. */
  async reasonOfDifference(): Promise<string | undefined> {
    if (this.#otherVersion !== undefined) return `decided by engine version ${this.#otherVersion}`;
    if (this.#unreadable > 0) return 'events of clients that were erased since';
    for (const [version, by] of await readReplaced(this.#deps.pool, this.#workspaceId)) {
      if (this.#policies.has(version)) return replacedReason(version, by);
    }
    return undefined;
  }
}

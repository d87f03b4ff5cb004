import type { Policy } from '@ringfence/policy';
import {
  beginCheckpoint,
  checkpointCommitted,
  type CheckpointEntity,
  evict,
  type GradualCheckpoint,
  restoreState,
  supply,
} from '../../src/store/checkpoint/checkpoint.ts';
import { readHead } from '../../src/store/checkpoint/globals-codec.ts';
import { MemoryEntityStates } from '../../src/store/checkpoint/memory-entity-states.ts';
import type { Effect } from '../../src/effect.ts';
import type { EngineRecord } from '../../src/record.ts';
import { type EngineState, newState } from '../../src/state.ts';
import { togetherMax } from '../../src/limits.ts';
import { keysOf, step, stepTogether } from '../../src/step.ts';
import { withFold } from './fold.ts';
import { bounds } from './bounds.ts';

/** Entities that a checkpoint captures between two records: few, so that many change before their turn. */
const capturedPerStep = 2;

/** Everything that is not in use is packed immediately. */
const packing = { inUseMax: 2, roomyBytes: 0 };

/** An engine host in memory: stores checkpoints like the real one, and can crash. */
export class HostTwin {
  readonly entities = new MemoryEntityStates();
  #globals: Uint8Array | undefined;
  /** A checkpoint that is being captured, and not stored so far. */
  #inFlight: { readonly checkpoint: GradualCheckpoint; readonly entities: CheckpointEntity[] } | undefined;
  #storedMs = 0;
  #state: EngineState;
  readonly #policies = new Map<number, Policy>();
  /** How many times `step` requested entities. */
  questions = 0;

  /** Whether a state that begins with an empty store knows this: it then requests only evicted entities. */
  readonly #complete: boolean;

  constructor({ complete } = { complete: true }) {
    this.#complete = complete;
    this.#state = newState({ complete: this.#complete, bounds, ...packing });
  }

  get state(): EngineState {
    return this.#state;
  }

  /** The first record that the state does not contain. */
  get nextOffset(): number {
    return this.#state.offset + 1;
  }

  /** @param before all records before it */
  step(record: EngineRecord, before: readonly EngineRecord[] = []): readonly Effect[] {
    this.#inFlight?.entities.push(...this.#inFlight.checkpoint.next(capturedPerStep));
    if (record.kind === 'policy') this.#policies.set(record.version, record.policy);
    const opened = withFold(record, before, this.#state);
    const given = new Set<string>();
    for (;;) {
      const done = step(this.#state, opened);
      if (done.kind === 'done') return done.effects;
      this.#answer(done.keys, given);
    }
  }

  /**
   * Steps at least the first of these records, and returns the effects of all that were stepped together. A policy
   * that begins with history is stepped alone: its backfill is computed when everything before it is stepped.
   *
   * @param before all records before them
   */
  stepSome(offered: readonly EngineRecord[], before: readonly EngineRecord[] = []): readonly (readonly Effect[])[] {
    if (beginsWithHistory(offered[0]!)) return [this.step(offered[0]!, before)];
    const alone = offered.findIndex(beginsWithHistory);
    const records = offered.slice(0, alone < 0 ? togetherMax : Math.min(alone, togetherMax));
    this.#inFlight?.entities.push(...this.#inFlight.checkpoint.next(capturedPerStep));
    for (const record of records) if (record.kind === 'policy') this.#policies.set(record.version, record.policy);
    const given = new Set<string>();
    for (;;) {
      const { effects, keys } = stepTogether(this.#state, records);
      if (keys.length > 0) this.#answer(keys, given);
      if (effects.length > 0) return effects;
    }
  }

  /** Nothing is requested twice in one step. */
  #answer(keys: readonly string[], given: Set<string>): void {
    if (keys.some((key) => given.has(key))) throw new Error(`${keys.join()} requested again`);
    for (const key of keys) given.add(key);
    this.questions++;
    this.#supply(keys);
  }

  /** Loads the keys known to be needed for a batch. */
  prefetch(records: readonly EngineRecord[]): void {
    this.#supply([...new Set(records.flatMap((record) => keysOf(this.#state, record)))]);
  }

  capture(): void {
    this.store();
    this.#inFlight = { checkpoint: beginCheckpoint(this.#state), entities: [] };
  }

  /** Stores the captured checkpoint. */
  store(): void {
    if (this.#inFlight === undefined) return;
    const { checkpoint, entities } = this.#inFlight;
    this.#inFlight = undefined;
    this.#globals = checkpoint.globals;
    this.#storedMs = checkpoint.logTimeMs;
    this.entities.removeSubjects(checkpoint.erased);
    this.entities.save({ next: () => [...entities.splice(0), ...checkpoint.next(Infinity)] });
    checkpointCommitted(this.#state, checkpoint);
  }

  /** Deletes entities that are expired as of the stored checkpoint; for the one before, they might not be. */
  dropExpired(nowMs = this.#storedMs): void {
    this.entities.removeExpired(nowMs);
  }

  /** Everything that would be stored now, except expired entities: the bytes of each entity by its key. */
  finalState(): ReadonlyMap<string, string> {
    this.capture();
    this.store();
    this.dropExpired();
    return new Map([...this.entities.rows].map(([key, { bytes }]) => [key, bytes.join()]));
  }

  evict(bytesMax: number): number {
    return evict(this.#state, bytesMax);
  }

  /** Stores and evicts everything, so that the next record requests everything that it needs. */
  forgetAll(): void {
    this.capture();
    this.store();
    // The first call only clears the marks of use.
    this.evict(0);
    this.evict(0);
  }

  /** Loses the memory; only what was stored last remains. */
  crash(): void {
    this.#inFlight = undefined;
    if (this.#globals === undefined) {
      this.#state = newState({ complete: this.#complete, bounds, ...packing });
      this.entities.replaceBy(new MemoryEntityStates());
      return;
    }
    const { policyVersion } = readHead(this.#globals);
    this.#state = restoreState(this.#globals, this.#policies.get(policyVersion), {
      complete: false,
      bounds,
      ...packing,
    });
  }

  #supply(keys: readonly string[]): void {
    supply(this.#state, this.entities.load(keys));
  }
}

function beginsWithHistory(record: EngineRecord): boolean {
  return record.kind === 'policy' && record.history !== undefined;
}

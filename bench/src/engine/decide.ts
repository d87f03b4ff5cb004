import { hash } from 'node:crypto';
import { assert } from '@ringfence/contract';
import {
  type Action,
  beginCheckpoint,
  checkpointCommitted,
  type Effect,
  encodeDecision,
  type EngineRecord,
  type EngineState,
  evict,
  newState,
  residentCount,
  restoreState,
  type StateOptions,
  step,
} from '@ringfence/engine';
import type { Policy } from '@ringfence/policy';
import { chainedTogether } from '@ringfence/engine/thread-tuning';
import type { History } from '../handbook/history.ts';
import { Stopwatch } from '../measure/stopwatch.ts';
import { firstRecords, recordOf } from './records.ts';
import { type Reading, stepSome } from './step-some.ts';
import type { StoredState } from './stored-state.ts';

export interface DecidePlan {
  readonly history: History;
  readonly policy: Policy;
  readonly stored: StoredState;
  /** Number of events to decide, from the start. */
  readonly events: number;
  /** Records that are built (not timed) before they are stepped (timed). */
  readonly chunk: number;
  /** Events between two checkpoints. */
  readonly checkpointEvery: number;
  /** Events after which the state is discarded and restored from the last checkpoint; 0 for never. */
  readonly restartEvery: number;
  /** Events between two notes of the digest, at which another run can be compared. */
  readonly noteEvery: number;
  /** Hears what models read and say. */
  readonly onEvaluated?: StateOptions['onEvaluated'];
}

export interface Decided {
  readonly decisions: number;
  readonly actions: number;
  /** SHA-256 chain over all decisions, in hexadecimal, at the end and after every `noteEvery` events. */
  readonly digest: string;
  readonly digests: readonly string[];
  readonly restarts: number;
  /** Stepping, chaining the digest and writing checkpoints, without building records. */
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly checkpoints: number;
  readonly checkpointMs: number;
  readonly checkpointMsMax: number;
  /** Entities that were requested. */
  readonly asked: number;
  /** Entities in memory at the end. */
  readonly resident: number;
}

/** Records before the first event: the settings and the policy. */
const controlRecords = 2;
/** Entities kept in memory after a checkpoint, as in the host. */
const residentBytesMax = 2 ** 30;
/** Entities captured and written in one go, as in the host. */
const capturedAtOnce = 500;

/** Steps a history through the engine, with checkpoints and, if requested, restarts. */
export function decide(plan: DecidePlan): Decided {
  return new Run(plan).go();
}

/** The digests and counts that must be equal in every run. */
interface Tally {
  digest: Buffer;
  decisions: number;
  actions: number;
}

class Run {
  readonly #plan: DecidePlan;
  readonly #watch = new Stopwatch();
  readonly #digests: string[] = [];
  /** Nothing is stored yet, so all entities are in memory. */
  #state: EngineState;
  #tally: Tally = { digest: Buffer.alloc(32), decisions: 0, actions: 0 };
  #saved = { at: 0, tally: this.#tally };
  #checkpoints = 0;
  #checkpointMs = 0;
  #checkpointMsMax = 0;
  #asked = 0;
  #restarts = 0;

  constructor(plan: DecidePlan) {
    this.#plan = plan;
    this.#state = newState({ complete: true, onEvaluated: plan.onEvaluated });
    for (const record of firstRecords(plan.policy, (plan.history.slice(0, 1)[0]?.atMs ?? 0) - 1))
      step(this.#state, record);
    this.#checkpoint(0);
  }

  go(): Decided {
    const { events, history, restartEvery, checkpointEvery, noteEvery } = this.#plan;
    let restartAt = restartEvery === 0 ? Infinity : restartEvery;
    for (let at = 0; at < events;) {
      const to = this.#nextStop(at);
      const records = history.slice(at, to).map((event, i) => recordOf(event, controlRecords + at + i));
      this.#watch.time(() => this.#stepAll(records));
      at = to;
      if (at % noteEvery === 0) this.#digests[at / noteEvery - 1] = this.#tally.digest.toString('hex');
      if (at % checkpointEvery === 0) this.#checkpoint(at);
      if (at < restartAt) continue;
      restartAt += restartEvery;
      at = this.#restart();
    }
    return this.#result();
  }

  /** Chunks end where a checkpoint, a note or a restart is due. */
  #nextStop(at: number): number {
    const { events, chunk, checkpointEvery, noteEvery, restartEvery } = this.#plan;
    const marks = [checkpointEvery, noteEvery, ...(restartEvery === 0 ? [] : [restartEvery])];
    return Math.min(events, at + chunk, ...marks.map((every) => (Math.floor(at / every) + 1) * every));
  }

  #stepAll(records: readonly EngineRecord[]): void {
    const read: Reading = (keys) => this.#watch.pause(() => this.#plan.stored.read(keys));
    let unchained: (readonly Effect[])[] = [];
    for (let from = 0; from < records.length;) {
      const { effects, asked } = stepSome(this.#state, records, { from, read });
      from += effects.length;
      unchained.push(...effects);
      this.#asked += asked;
      if (unchained.length < chainedTogether && from < records.length) continue;
      for (const of of unchained) this.#chain(of);
      unchained = [];
    }
  }

  /** As in the host: each decision with its actions is one link. */
  #chain(effects: readonly Effect[]): void {
    for (let at = 0; at < effects.length;) {
      const effect = effects[at++]!;
      if (effect.kind !== 'decision') continue;
      const actions: Action[] = [];
      for (let next = effects[at]; next?.kind === 'action'; next = effects[++at]) actions.push(next);
      this.#tally.digest = nextDigest(this.#tally.digest, encodeDecision(effect, actions));
      this.#tally.decisions++;
      this.#tally.actions += actions.length;
    }
  }

  /** Captures, writes and syncs some entities at a time, as the host does. Timed. */
  #checkpoint(at: number): void {
    const { stored } = this.#plan;
    const before = this.#watch.wallMs;
    const checkpoint = this.#watch.time(() => beginCheckpoint(this.#state));
    const captureSome = (): number =>
      this.#watch.time(() => {
        const some = checkpoint.next(capturedAtOnce);
        stored.write(some);
        return some.length;
      });
    while (captureSome() > 0) stored.settle();
    this.#watch.time(() => {
      stored.sync(checkpoint);
      checkpointCommitted(this.#state, checkpoint);
      evict(this.#state, residentBytesMax);
    });
    this.#saved = { at, tally: { ...this.#tally } };
    this.#checkpoints++;
    const tookMs = this.#watch.wallMs - before;
    this.#checkpointMs += tookMs;
    this.#checkpointMsMax = Math.max(this.#checkpointMsMax, tookMs);
  }

  /**
   * As after a crash: everything in memory is lost.
   * @returns the event to continue with
   */
  #restart(): number {
    const { policy, stored, onEvaluated } = this.#plan;
    assert(stored.last !== undefined, 'a checkpoint was written at the start');
    this.#state = restoreState(stored.last.globals, policy, { complete: false, onEvaluated });
    this.#tally = { ...this.#saved.tally };
    this.#restarts++;
    return this.#saved.at;
  }

  #result(): Decided {
    return {
      decisions: this.#tally.decisions,
      actions: this.#tally.actions,
      digest: this.#tally.digest.toString('hex'),
      digests: this.#digests,
      restarts: this.#restarts,
      wallMs: this.#watch.wallMs,
      cpuMs: this.#watch.cpuMs,
      checkpoints: this.#checkpoints,
      checkpointMs: this.#checkpointMs,
      checkpointMsMax: this.#checkpointMsMax,
      asked: this.#asked,
      resident: residentCount(this.#state),
    };
  }
}

/** A link as in the host. All links share one buffer. */
let link: Buffer = Buffer.alloc(4_096);

function nextDigest(previous: Buffer, decision: Uint8Array): Buffer {
  const size = previous.length + decision.length;
  if (size > link.length) link = Buffer.alloc(2 * size);
  link.set(previous);
  link.set(decision, previous.length);
  // Creating a text from bytes is faster than a buffer, which allocates its own memory.
  return Buffer.from(hash('sha256', link.subarray(0, size), 'binary'), 'latin1');
}

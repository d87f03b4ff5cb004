import { hash } from 'node:crypto';
import { assert, type EpochMs } from '@ringfence/contract';
import {
  type Action,
  defaultSettings,
  type Effect,
  encodeDecision,
  type EngineRecord,
  type EngineSettings,
  type EngineState,
  type EventRecord,
  newState,
  step,
  togetherMax,
} from '@ringfence/engine';
import type { FactValue, Policy } from '@ringfence/policy';
import { firstRecords } from '../engine/records.ts';
import { stepSome } from '../engine/step-some.ts';
import type { Stopwatch } from '../measure/stopwatch.ts';
import type { SharedFeature, SplitPolicy } from './split-policy.ts';

/** Records before the first event of each engine: the settings and the policy. */
export const controlRecords = 2;

/** Values of the shared features at one touch, in the order of `SplitPolicy.shared`. */
export type Answer = readonly FactValue[];

const bytesEach = 16;

/** What was decided about each event of a history, in digests that can be compared. */
export class Decisions {
  /** Of all bytes of the decision and its actions, printed values included. */
  readonly #whole: Buffer;
  /** Of what fired and what was requested. */
  readonly #acted: Buffer;
  count = 0;

  constructor(events: number) {
    this.#whole = Buffer.alloc(events * bytesEach);
    this.#acted = Buffer.alloc(events * bytesEach);
  }

  /** Notes the decisions among the effects of a record. */
  note(effects: readonly Effect[]): void {
    for (let at = 0; at < effects.length;) {
      const effect = effects[at++]!;
      assert(effect.kind !== 'waiting', 'no operation of this history waits for its login');
      if (effect.kind !== 'decision') continue;
      const actions: Action[] = [];
      for (let next = effects[at]; next?.kind === 'action'; next = effects[++at]) actions.push(next);
      const place = (effect.offset - controlRecords) * bytesEach;
      this.#whole.write(digest(encodeDecision(effect, actions)), place, bytesEach, 'latin1');
      const fired = effect.fired.map(({ reason, mode, suppressed }) => `${reason} ${mode} ${suppressed}`);
      const acted = actions.map(({ reason, action, state }) => `${reason} ${action} ${state}`);
      this.#acted.write(digest([...fired, effect.score, ...acted].join()), place, bytesEach, 'latin1');
      this.count++;
    }
  }

  /** Of all decisions, in hexadecimal. */
  get digest(): string {
    return hash('sha256', this.#whole);
  }

  /** How many decisions differ in any bit, and how many in what fired or was requested. */
  differing(other: Decisions): { readonly bits: number; readonly acts: number } {
    return { bits: countDiffering(this.#whole, other.#whole), acts: countDiffering(this.#acted, other.#acted) };
  }
}

function digest(of: Uint8Array | string): string {
  return hash('sha256', of, 'binary').slice(0, bytesEach);
}

function countDiffering(one: Buffer, other: Buffer): number {
  assert(one.length === other.length, 'decisions of the same events are compared');
  let count = 0;
  for (let at = 0; at < one.length; at += bytesEach)
    if (one.compare(other, at, at + bytesEach, at, at + bytesEach) !== 0) count++;
  return count;
}

/** An engine that decides the events of some clients. */
export class ClientEngine {
  readonly #state: EngineState;

  constructor(policy: Policy, firstAtMs: number) {
    this.#state = started(policy, { firstAtMs });
  }

  /** Takes the values of shared features from answers, by the number of the event. */
  read(shared: readonly SharedFeature[], answers: readonly (Answer | undefined)[]): void {
    const { operation } = this.#state.plan.kinds;
    const readers = shared.map(({ slotOfClients }, place) => ({
      slot: slotOfClients,
      read: ({ arrival }: { readonly arrival: { readonly record: EngineRecord } }) =>
        answers[arrival.record.offset - controlRecords]?.[place],
    }));
    Object.assign(operation, { readers: [...operation.readers, ...readers] });
  }

  step(records: readonly EventRecord[], into: Decisions, watch?: Stopwatch): void {
    const work = (): readonly (readonly Effect[])[] => stepAll(this.#state, records);
    for (const effects of watch === undefined ? work() : watch.time(work)) into.note(effects);
  }
}

/** An engine that keeps the features of shared entities: it steps touches in their recorded order. */
export class EntityEngine {
  readonly #state: EngineState;
  readonly #shared: readonly SharedFeature[];
  #offset = controlRecords;
  #logTimeMs = 0;
  #answer: Answer = [];

  constructor({ ofEntities, shared }: SplitPolicy, firstAtMs: number) {
    this.#shared = shared;
    const onDecided = ({ decidedFacts }: EngineState): void => {
      this.#answer = this.#shared.map(({ slotOfEntities }) => decidedFacts[slotOfEntities]);
    };
    this.#state = started(ofEntities, { firstAtMs, settings: entitySettings, onDecided });
  }

  /** @returns the values that the decision of the client's shard reads */
  touch(record: EventRecord): Answer {
    // Log time is the partition's own and never falls; features use the event's own time.
    this.#logTimeMs = Math.max(this.#logTimeMs, record.logTimeMs);
    const touch = { ...touchOf(record), offset: this.#offset++, logTimeMs: this.#logTimeMs as EpochMs };
    const stepped = step(this.#state, touch);
    assert(stepped.kind === 'done', 'every entity is in memory');
    return this.#answer;
  }
}

/** Whether a touch has a session is the business of the client's shard. */
const entitySettings: Partial<EngineSettings> = {
  sessionGraceMs: 0,
  sessionDefaults: { ...defaultSettings.sessionDefaults, sessions: 'optional' },
};

/** What a partition of shared entities needs to know of an operation. */
export function touchOf(record: EventRecord): EventRecord {
  const { event } = record;
  assert(event.kind === 'operation', 'operations touch payees');
  const { kind, channelId, timestamp, account, order, accountTo } = event;
  const client = account?.client;
  return {
    ...record,
    event: {
      kind,
      channelId,
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(client === undefined ? {} : { account: { client } }),
      ...(order === undefined ? {} : { order }),
      ...(accountTo === undefined ? {} : { accountTo }),
    },
  };
}

function started(
  policy: Policy,
  {
    firstAtMs,
    settings,
    onDecided,
  }: {
    readonly firstAtMs: number;
    readonly settings?: Partial<EngineSettings>;
    readonly onDecided?: (state: EngineState) => void;
  },
): EngineState {
  const state = newState({ complete: true, onDecided });
  for (const record of firstRecords(policy, firstAtMs, settings)) step(state, record);
  return state;
}

function stepAll(state: EngineState, records: readonly EventRecord[]): readonly (readonly Effect[])[] {
  const all: (readonly Effect[])[] = [];
  for (let from = 0; from < records.length;) {
    const { effects } = stepSome(state, records.slice(from, from + togetherMax), { from: 0, read: () => [] });
    from += effects.length;
    all.push(...effects);
  }
  return all;
}

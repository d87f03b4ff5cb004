import { assert } from '@ringfence/contract';
import type { EventRecord } from '@ringfence/engine';
import type { Policy } from '@ringfence/policy';
import { between, type Random } from '@ringfence/e2e';
import { Stopwatch } from '../measure/stopwatch.ts';
import { type Answer, ClientEngine, Decisions, EntityEngine, touchOf } from './shard-engine.ts';
import type { SplitPolicy } from './split-policy.ts';

/*
 *   records ──by client's hash──▶ shard ──touch──▶ partition of the payee's hash (notes the order, steps, answers)
 *                                   ▲                              │
 *                                   └────────── answer ────────────┘
 *   A shard decides its records in order, each once its answer is there.
 */

/** The events of a history, as one engine steps them, and how many shards they are spread over. */
export interface ShardedHistory {
  readonly records: readonly EventRecord[];
  readonly shards: number;
}

/** In each partition of shared entities, the numbers of the events that touched it, in their recorded order. */
export type Orders = readonly (readonly number[])[];

/** Records that one actor handles before another has its turn, at most. */
const turnMax = 16;
/** Records that are timed together, as many as the host's batch. */
const batch = 500;

/** The events of each shard, by their numbers. */
export function byClient({ records, shards }: ShardedHistory): readonly (readonly number[])[] {
  return spread(records, shards, (record) => record.subject ?? '');
}

function spread(
  records: readonly EventRecord[],
  parts: number,
  nameOf: (record: EventRecord) => string | undefined,
): readonly (readonly number[])[] {
  const found: number[][] = Array.from({ length: parts }, () => []);
  for (const [number, record] of records.entries()) {
    const name = nameOf(record);
    if (name !== undefined) found[placeOf(name, parts)]!.push(number);
  }
  return found;
}

/** FNV-1a, 32 bits. */
function placeOf(name: string, parts: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % parts;
}

/** The payee that an event touches; `undefined` if it touches none. */
export function touched({ event }: EventRecord): string | undefined {
  return event.kind === 'operation' ? event.accountTo?.accountNumber : undefined;
}

/** Processor time of stepping, in ms, of each part. */
export interface Cost {
  readonly shardsMs: readonly number[];
  readonly partitionsMs: readonly number[];
}

/** Every shard alone, by a policy that reads nothing about shared entities, or with one shard, by any policy. */
export function decideAlone(
  history: ShardedHistory,
  policy: Policy,
): { readonly decisions: Decisions; readonly cost: Cost } {
  const decisions = new Decisions(history.records.length);
  const shardsMs = byClient(history).map((numbers) => {
    const engine = new ClientEngine(policy, firstAtMs(history));
    return inBatches(history, numbers, (some, watch) => engine.step(some, decisions, watch));
  });
  return { decisions, cost: { shardsMs, partitionsMs: [] } };
}

/**
 * Replays a sharded history from its recorded orders: first the partitions, each alone, then the shards with their
 * answers, each alone.
 */
export function replay(
  history: ShardedHistory,
  split: SplitPolicy,
  orders: Orders,
): { readonly decisions: Decisions; readonly cost: Cost } {
  const answers: (Answer | undefined)[] = [];
  const partitionsMs = orders.map((order) => {
    const entities = new EntityEngine(split, firstAtMs(history));
    return inBatches(history, order, (some, watch, numbers) =>
      watch.time(() => {
        for (const [at, record] of some.entries()) answers[numbers[at]!] = entities.touch(record);
      }),
    );
  });
  const decisions = new Decisions(history.records.length);
  const shardsMs = byClient(history).map((numbers) => {
    const engine = new ClientEngine(split.ofClients, firstAtMs(history));
    engine.read(split.shared, answers);
    return inBatches(history, numbers, (some, watch) => engine.step(some, decisions, watch));
  });
  return { decisions, cost: { shardsMs, partitionsMs } };
}

function inBatches(
  { records }: ShardedHistory,
  numbers: readonly number[],
  work: (some: readonly EventRecord[], watch: Stopwatch, numbers: readonly number[]) => void,
): number {
  const watch = new Stopwatch();
  for (let from = 0; from < numbers.length; from += batch) {
    const some = numbers.slice(from, from + batch);
    work(
      some.map((number) => records[number]!),
      watch,
      some,
    );
  }
  return watch.cpuMs;
}

function firstAtMs({ records }: ShardedHistory): number {
  return (records[0]?.logTimeMs ?? 0) - 1;
}

/** What is sent between shards and partitions. */
interface Sent {
  readonly touches: number;
  /** Bytes of all touches, and of all answers, as JSON. */
  readonly touchBytes: number;
  readonly answerBytes: number;
}

export interface Interleaving {
  readonly random: Random;
  /** A record may be overtaken by one of another shard that arrived at most this many records later. */
  readonly apart: number;
}

export interface Lived {
  readonly decisions: Decisions;
  /** By the number of the event; `undefined` for one that touches nothing. */
  readonly answers: readonly (Answer | undefined)[];
  readonly orders: Orders;
  readonly sent: Sent;
}

/** Decides a history in shards that run side by side, in an order of turns that chance chooses. */
export function live(history: ShardedHistory, split: SplitPolicy, interleaving: Interleaving): Lived {
  return new LiveRun(history, split, interleaving).go();
}

interface Shard {
  readonly numbers: readonly number[];
  readonly engine: ClientEngine;
  /** How many of its events sent their touch, and how many are decided. */
  sent: number;
  decided: number;
}

interface Partition {
  readonly engine: EntityEngine;
  readonly order: number[];
  /** Touches of each shard that have not been stepped, oldest first. */
  readonly inboxes: readonly number[][];
}

class LiveRun {
  readonly #history: ShardedHistory;
  readonly #interleaving: Interleaving;
  readonly #answers: (Answer | undefined)[] = [];
  readonly #decisions: Decisions;
  readonly #shards: readonly Shard[];
  readonly #partitions: readonly Partition[];
  readonly #done: Uint8Array;
  /** Every earlier event is decided. */
  #base = 0;
  #sent = { touches: 0, touchBytes: 0, answerBytes: 0 };

  constructor(history: ShardedHistory, split: SplitPolicy, interleaving: Interleaving) {
    this.#history = history;
    this.#interleaving = interleaving;
    this.#decisions = new Decisions(history.records.length);
    this.#done = new Uint8Array(history.records.length);
    const atMs = firstAtMs(history);
    this.#shards = byClient(history).map((numbers) => {
      const engine = new ClientEngine(split.ofClients, atMs);
      engine.read(split.shared, this.#answers);
      return { numbers, engine, sent: 0, decided: 0 };
    });
    this.#partitions = this.#shards.map(() => ({
      engine: new EntityEngine(split, atMs),
      order: [],
      inboxes: this.#shards.map(() => []),
    }));
  }

  go(): Lived {
    const { random } = this.#interleaving;
    const actors = [...this.#shards.keys()];
    while (this.#base < this.#history.records.length) {
      const at = between(random, 0, actors.length - 1);
      const turns = between(random, 1, turnMax);
      const actor = between(random, 0, 2);
      if (actor === 0) this.#send(at, turns);
      else if (actor === 1) this.#touch(this.#partitions[at]!, turns);
      else this.#decide(this.#shards[at]!, turns);
    }
    return {
      decisions: this.#decisions,
      answers: this.#answers,
      orders: this.#partitions.map(({ order }) => order),
      sent: this.#sent,
    };
  }

  /** A shard sends the touches of records that have arrived. */
  #send(at: number, most: number): void {
    const shard = this.#shards[at]!;
    for (let turn = 0; turn < most; turn++) {
      const number = shard.numbers[shard.sent];
      if (number === undefined || number >= this.#base + this.#interleaving.apart) return;
      shard.sent++;
      const name = touched(this.#history.records[number]!);
      if (name !== undefined) this.#partitions[placeOf(name, this.#partitions.length)]!.inboxes[at]!.push(number);
    }
  }

  /** A partition notes and steps touches, of any shard first, those of one shard in order. */
  #touch({ engine, inboxes, order }: Partition, most: number): void {
    for (let turn = 0; turn < most; turn++) {
      const waiting = inboxes.filter(({ length }) => length > 0);
      if (waiting.length === 0) return;
      const number = waiting[between(this.#interleaving.random, 0, waiting.length - 1)]!.shift()!;
      const record = this.#history.records[number]!;
      order.push(number);
      const answer = engine.touch(record);
      this.#answers[number] = answer;
      this.#sent.touches++;
      this.#sent.touchBytes += jsonBytes(touchOf(record).event) + (record.subject ?? '').length;
      this.#sent.answerBytes += jsonBytes(answer);
    }
  }

  /** A shard decides its next records, up to the first whose answer is missing. */
  #decide(shard: Shard, most: number): void {
    const { records } = this.#history;
    const numbers: number[] = [];
    for (let next = shard.decided; next < shard.sent && numbers.length < most; next++) {
      const number = shard.numbers[next]!;
      if (touched(records[number]!) !== undefined && this.#answers[number] === undefined) break;
      numbers.push(number);
    }
    shard.engine.step(
      numbers.map((number) => records[number]!),
      this.#decisions,
    );
    shard.decided += numbers.length;
    for (const number of numbers) {
      assert(this.#done[number] === 0, 'every event is decided once');
      this.#done[number] = 1;
    }
    while (this.#done[this.#base] === 1) this.#base++;
  }
}

function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
  return Buffer.byteLength(text);
}

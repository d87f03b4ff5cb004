import { dayMs } from '@ringfence/contract';
import { Ensemble, type ModelArtifact, rowWeight, type Sampling, type TimeFold } from '@ringfence/models';
import type { EventTraits, TrainingEvent } from './training-event.ts';

/** The rows of one training, as the trainer reads them. */
export interface TrainingTable {
  readonly columns: readonly Float64Array[];
  readonly labels: Uint8Array;
  readonly weights: Float64Array;
}

/** Events that a fold's model never saw, as it sees them. */
export interface ScoredRows {
  readonly offsets: Float64Array;
  readonly atMs: Float64Array;
  readonly margins: Float64Array;
  readonly labels: Uint8Array;
  readonly traits: readonly EventTraits[];
  /** Events of one client on one day have one number. */
  readonly groups: Float64Array;
}

export interface TrainingSetOptions {
  readonly inputs: number;
  readonly sampling: Sampling;
  /** End of the period: ages of rows are before it. */
  readonly toMs: number;
  readonly folds: readonly TimeFold[];
}

const firstCapacity = 16_384;
/** Days since 1970 are fewer: 2 ** 20 of them are 2,800 years. */
const daysMax = 2 ** 20;

/**
 * The events of a training, in memory only: the sample, and all events of the folds' tests. A row is a column's cell,
 * 8 bytes for each input.
 */
export class TrainingSet {
  readonly #options: TrainingSetOptions;
  #columns: readonly Float64Array[];
  #offsets = new Float64Array(firstCapacity);
  #atMs = new Float64Array(firstCapacity);
  #clients = new Float64Array(firstCapacity);
  #labels = new Uint8Array(firstCapacity);
  /** 0 for an event that is only in a test. */
  #weights = new Float64Array(firstCapacity);
  /** Of events in a test. */
  readonly #traits: (EventTraits | undefined)[] = [];
  #count = 0;
  readonly seen = { frauds: 0, legitimate: 0, keptLegitimate: 0 };

  constructor(options: TrainingSetOptions) {
    this.#options = options;
    this.#columns = Array.from({ length: options.inputs }, () => new Float64Array(firstCapacity));
  }

  add(event: TrainingEvent): void {
    const { offset, atMs, client, isFraud, values } = event;
    const { toMs, sampling, folds } = this.#options;
    this.seen[isFraud ? 'frauds' : 'legitimate'] += 1;
    const weight = rowWeight({ fraud: isFraud, identity: offset, ageMs: toMs - atMs }, sampling);
    if (weight > 0 && !isFraud) this.seen.keptLegitimate += 1;
    const isTested = folds.some(({ testFromMs, testToMs }) => atMs >= testFromMs && atMs < testToMs);
    if (weight === 0 && !isTested) return;
    if (this.#count === this.#labels.length) this.#grow();
    const row = this.#count++;
    this.#columns.forEach((column, input) => (column[row] = values[input]!));
    this.#offsets[row] = offset;
    this.#atMs[row] = atMs;
    this.#clients[row] = client;
    this.#labels[row] = isFraud ? 1 : 0;
    this.#weights[row] = weight;
    this.#traits.push(isTested ? traitsOf(event) : undefined);
  }

  /** The sample before a time. */
  table(toMs: number): TrainingTable {
    const rows = this.#sampleBefore(toMs);
    return { ...this.#labelled(rows), columns: this.#columns.map((column) => picked(column, rows)) };
  }

  /** The same without copies of its columns. */
  labelled(toMs: number): Omit<TrainingTable, 'columns'> {
    return this.#labelled(this.#sampleBefore(toMs));
  }

  #labelled(rows: Uint32Array): Omit<TrainingTable, 'columns'> {
    return { labels: Uint8Array.from(rows, (row) => this.#labels[row]!), weights: picked(this.#weights, rows) };
  }

  /** All events of a test, scored by a model. */
  scored({ testFromMs, testToMs }: TimeFold, artifact: ModelArtifact): ScoredRows {
    const rows = this.#rowsWhere((row) => this.#atMs[row]! >= testFromMs && this.#atMs[row]! < testToMs);
    return {
      offsets: picked(this.#offsets, rows),
      atMs: picked(this.#atMs, rows),
      margins: this.#margins(rows, artifact),
      labels: Uint8Array.from(rows, (row) => this.#labels[row]!),
      traits: Array.from(rows, (row) => this.#traits[row]!),
      groups: Float64Array.from(rows, (row) => this.#groupOf(row)),
    };
  }

  /** The log-odds that a model gives the sample before a time. */
  margins(toMs: number, artifact: ModelArtifact): Float64Array {
    return this.#margins(this.#sampleBefore(toMs), artifact);
  }

  #margins(rows: Uint32Array, artifact: ModelArtifact): Float64Array {
    const ensemble = new Ensemble(artifact);
    const inputs = new Float64Array(this.#columns.length);
    return Float64Array.from(rows, (row) => {
      this.#columns.forEach((column, input) => (inputs[input] = column[row]!));
      return ensemble.margin(inputs);
    });
  }

  /** An event without a client is alone. */
  #groupOf(row: number): number {
    const client = this.#clients[row]!;
    return client === 0 ? -row - 1 : client * daysMax + Math.floor(this.#atMs[row]! / dayMs);
  }

  #sampleBefore(toMs: number): Uint32Array {
    return this.#rowsWhere((row) => this.#weights[row]! > 0 && this.#atMs[row]! < toMs);
  }

  #rowsWhere(holds: (row: number) => boolean): Uint32Array {
    return Uint32Array.from({ length: this.#count }, (_, row) => row).filter(holds);
  }

  #grow(): void {
    const capacity = Math.ceil(this.#count * 1.5);
    const grown = (from: Float64Array): Float64Array<ArrayBuffer> => {
      const larger = new Float64Array(capacity);
      larger.set(from);
      return larger;
    };
    this.#columns = this.#columns.map(grown);
    this.#offsets = grown(this.#offsets);
    this.#atMs = grown(this.#atMs);
    this.#clients = grown(this.#clients);
    this.#weights = grown(this.#weights);
    const labels = new Uint8Array(capacity);
    labels.set(this.#labels);
    this.#labels = labels;
  }
}

function traitsOf({ channelId, amount, currency, isNewClient }: TrainingEvent): EventTraits {
  return { channelId, amount, currency, isNewClient };
}

function picked(from: Float64Array, rows: Uint32Array): Float64Array {
  return Float64Array.from(rows, (row) => from[row]!);
}

import { assert } from '@ringfence/contract';
import { rowWeight, type Sampling, samplingDefault } from './sampling.ts';

/** One decided event with what is known of it. */
export interface TrainingRow {
  /** The value of each input at the decision, NaN if missing. */
  readonly values: ArrayLike<number>;
  readonly fraud: boolean;
  /** Something that names the event and never changes. It is not kept. */
  readonly identity: string | number;
  /** Before the end of the training data. */
  readonly ageMs: number;
}

/** The rows as columns. */
export interface TrainingColumns {
  readonly columns: readonly Float64Array[];
  readonly labels: Uint8Array;
  readonly weights: Float64Array;
}

/** What was seen, and what of it is trained on. */
export interface RowCounts {
  readonly frauds: number;
  readonly legitimate: number;
  readonly keptLegitimate: number;
}

/** Takes rows one by one, keeps those of the sample, and grows with them. */
export class TrainingRows {
  readonly #sampling: Sampling;
  #columns: readonly Float64Array[];
  #labels = new Uint8Array(firstCapacity);
  #weights = new Float64Array(firstCapacity);
  #kept = 0;
  #frauds = 0;
  #legitimate = 0;

  constructor(inputs: number, sampling: Sampling = samplingDefault) {
    this.#sampling = sampling;
    this.#columns = Array.from({ length: inputs }, () => new Float64Array(firstCapacity));
  }

  add(row: TrainingRow): void {
    assert(row.values.length === this.#columns.length, 'a row has a value for each input');
    if (row.fraud) this.#frauds++;
    else this.#legitimate++;
    const weight = rowWeight(row, this.#sampling);
    if (weight === 0) return;
    if (this.#kept === this.#labels.length) this.#grow();
    for (let input = 0; input < this.#columns.length; input++) {
      this.#columns[input]![this.#kept] = row.values[input]!;
    }
    this.#labels[this.#kept] = row.fraud ? 1 : 0;
    this.#weights[this.#kept] = weight;
    this.#kept++;
  }

  get counts(): RowCounts {
    return {
      frauds: this.#frauds,
      legitimate: this.#legitimate,
      keptLegitimate: this.#kept - this.#labels.subarray(0, this.#kept).reduce((sum, label) => sum + label, 0),
    };
  }

  /** Views of what was added so far: no row is copied. */
  table(): TrainingColumns {
    return {
      columns: this.#columns.map((column) => column.subarray(0, this.#kept)),
      labels: this.#labels.subarray(0, this.#kept),
      weights: this.#weights.subarray(0, this.#kept),
    };
  }

  #grow(): void {
    const capacity = Math.ceil(this.#kept * 1.5);
    const grown = (column: Float64Array): Float64Array<ArrayBuffer> => {
      const larger = new Float64Array(capacity);
      larger.set(column);
      return larger;
    };
    this.#columns = this.#columns.map(grown);
    this.#weights = grown(this.#weights);
    const labels = new Uint8Array(capacity);
    labels.set(this.#labels);
    this.#labels = labels;
  }
}

const firstCapacity = 1_024;

import { assert } from '@ringfence/contract';
import type { ModelTree } from '../artifact.ts';
import { naturalLog } from '../measures/natural-log.ts';
import { binCategories, binNumbers, type BinnedColumn, type Column, type Monotone } from './bins.ts';
import { type Derivatives, TreeGrower } from './grow-tree.ts';
import { type TrainingSettings, withDefaults } from './settings.ts';
import { probabilityOf } from '../logistic.ts';

/** One input of the training rows. */
export interface TrainingInput {
  readonly column: Column;
  /** Given for a category: how many texts it has. */
  readonly texts?: number;
  /** Not for a category. */
  readonly monotone?: Monotone;
}

export interface TrainingTable {
  readonly inputs: readonly TrainingInput[];
  /** 1 for fraud. */
  readonly labels: Uint8Array;
  /** Above 0. Absent: each row weighs 1. */
  readonly weights?: Float64Array;
}

/** Trees, the log-odds before them, and by input how much its splits lowered the loss. */
export interface BoostedTrees {
  readonly base: number;
  readonly trees: readonly ModelTree[];
  readonly gains: readonly number[];
}

/**
 * Gradient boosting of the logistic loss by leaf-wise trees over binned inputs. Yields after each tree how many there
 * are, so that the caller can show progress, do other work, or stop.
 *
 * The same rows in any order give the same trees, bit for bit, on every machine: derivatives are rounded to whole
 * numbers of a unit so small that their sums are exact.
 */
export function* boost(
  table: TrainingTable,
  options: Partial<TrainingSettings> = {},
): Generator<number, BoostedTrees, undefined> {
  const settings = withDefaults(options);
  const columns = binnedColumns(table);
  const rows = new LossRows(table);
  const grower = new TreeGrower(columns, rows.count, { ...settings, unit: rows.unit });
  const trees: ModelTree[] = [];
  const gains = columns.map(() => 0);
  for (let tree = 1; tree <= settings.trees; tree++) {
    const grown = grower.grow(rows.derivatives());
    if (grown.splits.length === 0) break; // nothing is left to learn, and the next tree would find the same
    for (const { column, gain } of grown.splits) gains[column]! += gain;
    for (const leaf of grown.leaves) rows.add(leaf.value, leaf.rows);
    trees.push(grown.tree);
    yield tree;
  }
  return { base: rows.base, trees, gains };
}

function binnedColumns({ inputs, labels }: TrainingTable): readonly BinnedColumn[] {
  return inputs.map(({ column, texts, monotone = 0 }) => {
    assert(column.length === labels.length, 'a column has a value for each row');
    if (texts === undefined) return binNumbers(column, labels, monotone);
    assert(monotone === 0, 'a category has no direction');
    return binCategories(column, texts);
  });
}

/** The log-odds of each row so far, and the derivatives of their loss. */
class LossRows {
  readonly count: number;
  /** A power of two. Sums of all rows in units stay below 2^53. */
  readonly unit: number;
  /** Log-odds of the share of fraud. */
  readonly base: number;
  readonly #labels: Uint8Array;
  /** In units. */
  readonly #weights: Float64Array | undefined;
  readonly #margins: Float64Array;
  readonly #derivatives: Derivatives;

  constructor({ labels, weights }: TrainingTable) {
    this.count = labels.length;
    this.#labels = labels;
    this.unit = unitOf(this.count, weights);
    this.#weights = weights?.map((weight) => Math.round(weight / this.unit));
    this.base = this.#logOddsOfFraud();
    this.#margins = new Float64Array(this.count).fill(this.base);
    this.#derivatives = {
      gradients: new Float64Array(this.count),
      hessians: new Float64Array(this.count),
      ...(this.#weights === undefined ? {} : { weights: this.#weights }),
    };
  }

  derivatives(): Derivatives {
    const { gradients, hessians } = this.#derivatives;
    const [labels, weights, margins] = [this.#labels, this.#weights, this.#margins];
    const one = 1 / this.unit;
    for (let row = 0; row < this.count; row++) {
      const p = probabilityOf(margins[row]!);
      const weight = weights === undefined ? one : weights[row]!;
      gradients[row] = Math.round((p - labels[row]!) * weight);
      hessians[row] = Math.round(p * (1 - p) * weight);
    }
    return this.#derivatives;
  }

  add(value: number, rows: Uint32Array): void {
    const margins = this.#margins;
    for (let at = 0; at < rows.length; at++) margins[rows[at]!]! += value;
  }

  #logOddsOfFraud(): number {
    const weights = this.#weights;
    let fraud = 0;
    let legitimate = 0;
    for (let row = 0; row < this.count; row++) {
      const weight = weights === undefined ? 1 : weights[row]!;
      if (this.#labels[row] === 1) fraud += weight;
      else legitimate += weight;
    }
    assert(fraud > 0 && legitimate > 0, 'there are rows of fraud and others');
    return naturalLog(fraud / legitimate);
  }
}

/** The largest sum is not above the number of rows times the largest weight; 52 bits hold it in units. */
function unitOf(rows: number, weights: Float64Array | undefined): number {
  let largest = weights === undefined ? 1 : 0;
  for (const weight of weights ?? []) {
    assert(weight > 0 && weight < Infinity, 'a row has a weight above 0');
    if (weight > largest) largest = weight;
  }
  let unit = 1;
  while (unit * 2 ** 52 < rows * largest) unit *= 2;
  while ((unit / 2) * 2 ** 52 >= rows * largest) unit /= 2;
  return unit;
}

import type { BinnedColumn } from './bins.ts';
import type { Sums } from './leaf.ts';

/** Numbers of a bin: its sum of gradients, its sum of hessians, its rows. */
const perBin = 3;
export const binsPerColumn = 256;
export const histogramColumn = binsPerColumn * perBin;

/** For each bin of each input what its rows add up to. The sums are whole numbers of units, and thus exact. */
export type Histogram = Float64Array;

export function emptyHistogram(columns: number): Histogram {
  return new Float64Array(columns * histogramColumn);
}

/** Rows of a node, and the derivatives of the loss in the same order. */
export interface NodeRows {
  readonly rows: Uint32Array;
  readonly gradients: Float64Array;
  readonly hessians: Float64Array;
}

export function fillHistogram(histogram: Histogram, columns: readonly BinnedColumn[], node: NodeRows): void {
  histogram.fill(0);
  for (let column = 0; column < columns.length; column++) {
    const from = column * histogramColumn;
    fillColumn(histogram.subarray(from, from + histogramColumn), columns[column]!.bins, node);
  }
}

function fillColumn(histogram: Histogram, bins: Uint8Array, { rows, gradients, hessians }: NodeRows): void {
  for (let at = 0; at < rows.length; at++) {
    const place = bins[rows[at]!]! * perBin;
    histogram[place]! += gradients[at]!;
    histogram[place + 1]! += hessians[at]!;
    histogram[place + 2]! += 1;
  }
}

/** Takes a child from its parent, which becomes the other child. */
export function subtractHistogram(parent: Histogram, child: Histogram): void {
  for (let at = 0; at < parent.length; at++) parent[at]! -= child[at]!;
}

export function binSums(histogram: Histogram, column: number, bin: number): Sums {
  const place = column * histogramColumn + bin * perBin;
  return { gradient: histogram[place]!, hessian: histogram[place + 1]!, rows: histogram[place + 2]! };
}

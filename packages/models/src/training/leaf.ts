import type { TrainingSettings } from './settings.ts';

/** What the rows of a node add up to: first and second derivatives of the loss, in units, and the number of rows. */
export interface Sums {
  readonly gradient: number;
  readonly hessian: number;
  readonly rows: number;
}

/** Between these a leaf's value must be, so that an input with a direction keeps it above and below the node. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

export const unbounded: Bounds = { low: -Infinity, high: Infinity };

/** What turns sums of units into values: the unit is a power of two, so nothing is rounded. */
export interface Scale {
  readonly unit: number;
  readonly l2: number;
}

/** The log-odds that lower the loss of these rows most, within the bounds, before the rate. */
export function leafValue({ gradient, hessian }: Sums, bounds: Bounds, { unit, l2 }: Scale): number {
  const weight = hessian * unit + l2;
  if (!(weight > 0)) return Math.min(Math.max(0, bounds.low), bounds.high);
  return Math.min(Math.max((-gradient * unit) / weight, bounds.low), bounds.high);
}

/** Twice by how much a leaf of this value lowers the loss of its rows, to the second order. */
export function leafGain({ gradient, hessian }: Sums, value: number, { unit, l2 }: Scale): number {
  return -(2 * gradient * unit * value + (hessian * unit + l2) * value * value);
}

export function isLargeEnough({ hessian, rows }: Sums, settings: TrainingSettings, unit: number): boolean {
  return rows >= settings.leafRowsMin && hessian * unit >= settings.leafHessianMin;
}

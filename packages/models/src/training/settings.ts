import { assert } from '@ringfence/contract';

/** How a model is trained. The defaults are those that did best on the public card data. */
export interface TrainingSettings {
  readonly trees: number;
  /** At most this many leaves a tree, grown where the loss falls most. */
  readonly leaves: number;
  /** What part of each tree's correction is taken. */
  readonly rate: number;
  /** Added to the weight of each leaf, so that small leaves correct little. */
  readonly l2: number;
  /** A leaf has at least this many rows, and at least this sum of p(1-p) times their weights. */
  readonly leafRowsMin: number;
  readonly leafHessianMin: number;
  /** A split lowers the loss by at least half of this. */
  readonly gainMin: number;
}

export const trainingDefaults: TrainingSettings = {
  trees: 150,
  leaves: 8,
  rate: 0.05,
  l2: 1,
  leafRowsMin: 20,
  leafHessianMin: 0.001,
  gainMin: 1e-9,
};

/** Settings out of these bounds are a mistake of the caller, who has checked what people typed. */
export const settingBounds: Readonly<Record<keyof TrainingSettings, readonly [min: number, max: number]>> = {
  trees: [1, 5_000],
  leaves: [2, 255],
  rate: [0.001, 1],
  l2: [0, 1_000_000],
  leafRowsMin: [1, 1_000_000],
  leafHessianMin: [0, 1_000_000],
  gainMin: [0, 1_000_000],
};

export function withDefaults(settings: Partial<TrainingSettings>): TrainingSettings {
  const all = { ...trainingDefaults, ...settings };
  for (const [name, [min, max]] of Object.entries(settingBounds)) {
    const value = all[name as keyof TrainingSettings];
    assert(value >= min && value <= max, `${name} is from ${min} to ${max}`);
  }
  assert(Number.isInteger(all.trees) && Number.isInteger(all.leaves), 'trees and leaves are whole numbers');
  return all;
}

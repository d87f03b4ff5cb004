/** The file of a model: one JSON document. It holds trees and numbers only, and nothing of any person. */
export interface ModelArtifact {
  readonly format: typeof artifactFormat;
  /** In the order in which trees name them. */
  readonly inputs: readonly ModelInput[];
  /** `single`: inputs, thresholds and sums are rounded to 32 bits, as XGBoost does. */
  readonly precision: 'double' | 'single';
  /** An input goes left if it compares like this with the threshold. */
  readonly comparison: '<' | '<=';
  /** Log-odds before the first tree. */
  readonly base: number;
  /** The sum is divided by it, 1 if absent: a forest averages its trees. */
  readonly divisor?: number;
  /** Log-odds for each unit of the divided sum, 1 if absent: LightGBM's `sigmoid`. */
  readonly slope?: number;
  /** An input within this distance of 0 counts as 0; 0 if absent. LightGBM has 1e-35. */
  readonly zeroBand?: number;
  readonly trees: readonly ModelTree[];
  /** What the log-odds of the trees mean; absent, as for imported models: they are taken as they are. */
  readonly calibration?: Calibration;
  /** From log-odds to the share of legitimate events below; absent: the model has no score, only a probability. */
  readonly scores?: ScoreTable;
  /** What it was trained on, by which a drift is found; absent: none is. */
  readonly population?: ModelPopulation;
}

export const artifactFormat = 'ringfence-model/1';

/** What a model reads of an event: a number, a truth value (1 or 0), or one of some texts (by its position). */
export interface ModelInput {
  readonly name: string;
  readonly kind: 'number' | 'boolean' | 'category';
  /** The known texts of a category, in order; others are missing. Only a category has them. */
  readonly texts?: readonly string[];
  /** The number 0 counts as missing, as with LightGBM's `zero_as_missing`. */
  readonly zeroIsMissing?: true;
}

/**
 * One decision tree, an array for each property of its nodes. Node 0 is the root; a parent comes before its children.
 */
export interface ModelTree {
  /** Index of the input that the node asks; -1 for a leaf. */
  readonly input: readonly number[];
  /** The threshold, which may be infinite; of a leaf the log-odds that it adds. */
  readonly value: readonly number[];
  /** Index of the left child; 0 for a leaf. */
  readonly left: readonly number[];
  /** Index of the right child; 0 for a leaf. */
  readonly right: readonly number[];
  /** Where a missing input goes: 1 for left, 0 for right. */
  readonly missingLeft: readonly number[];
  /** Weight of the training rows that reached the node, for explanations: counts, or sums of hessians. */
  readonly cover: readonly number[];
  /**
   * For nodes that ask a category: the positions of the texts that go left, by node, in ascending order. The threshold
   * is 0. A value is cut to a whole number; a negative one goes right.
   */
  readonly categories?: Readonly<Record<number, readonly number[]>>;
}

/**
 * From the log-odds of the trees to those of what happens: `shift + lowSlope ln p - highSlope ln(1 - p)`, with the
 * trees' probability p. Far below even odds `lowSlope` is the slope of the line, far above `highSlope`. It rises
 * everywhere, so it never changes which of two events is more suspicious.
 *
 * Source: Kull, Silva Filho, Flach: Beta calibration (2017), https://proceedings.mlr.press/v54/kull17a.html
 */
export interface Calibration {
  /** Above 0. */
  readonly lowSlope: number;
  /** Above 0. */
  readonly highSlope: number;
  readonly shift: number;
}

/** Pairs in ascending order: log-odds, and the share of legitimate events of the validation weeks below them. */
export interface ScoreTable {
  readonly margins: readonly number[];
  /** 0 to 1, as long as `margins`. */
  readonly shares: readonly number[];
}

/** How often the model's result and its inputs had which values when it was trained. Counts and quantiles, no rows. */
export interface ModelPopulation {
  /** Of the log-odds. */
  readonly margins: PopulationBins;
  /** In the order of the inputs. */
  readonly inputs: readonly PopulationBins[];
}

/** How often values fell into each bin. */
export interface PopulationBins {
  /** Bin `b` holds what is above `edges[b - 1]` and not above `edges[b]`; the last holds the rest. */
  readonly edges: readonly number[];
  /** One more than edges, and at the end those that were missing. */
  readonly counts: readonly number[];
}

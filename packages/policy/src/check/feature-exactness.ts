import type { FeatureKind } from '../policy.ts';

/**
 * Rows that the engine keeps per entity. Up to this number every feature is exact. A test compares it with the engine's
 * own constant.
 */
export const exactRows = 4_096;

/**
 * Error bounds of features beyond these rows, for events in order. "Newer" counts all events of the entity since the
 * start of the window. A property test checks each line against a model computed by hand:
 * packages/engine/test/features.
 */
export const featureExactness: readonly (readonly [kinds: readonly FeatureKind[], error: string])[] = [
  [['count', 'sum', 'rate'], 'at most 0.5 % of what is newer than the edge; of a sum, in magnitude'],
  [['avg', 'min', 'max', 'stddev'], 'at most 1 %'],
  [
    ['median', 'percentile'],
    'within 0.4 % of a number whose rank is off by at most half a percent of what is newer than the edge',
  ],
  [['topShare', 'habit'], 'less than 0.01'],
  [['distinct'], 'exact up to 131,072 values; beyond, a sample with a standard error below 0.4 %'],
  [['fraudShare'], 'the fraud is counted exactly, and divided by a count with the error given above'],
  [
    ['fraudRun', 'fraudRunAge', 'sinceFraud', 'sinceClear'],
    'exact for the newest rows that count; beyond them the legitimate event that ends the run is off by at most 1 % of what is newer',
  ],
  [['ratio'], 'the errors of the two features that it divides'],
  [['previous'], 'exact; it can be missed for a late event'],
  [['firstSeen', 'profile'], 'exact: they have no window'],
  [['lastSeen'], 'exact; it can be missed for a late event'],
];

import type { FeatureKind } from '../policy.ts';

/** Rows that the engine keeps of an entity: within them every feature is exact. A test holds it against the engine's own number. */
export const exactRows = 4_096;

/**
 * How far features can be off beyond these rows, for events in order. What is "newer" is all that the entity has since the
 * edge of the window. Each line is held by a property against the model by hand: packages/engine/test/features.
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
  [['fraudShare'], 'the fraud is counted exactly, and divided by a count, which is off as above'],
  [['ratio'], 'as the two that it is made of'],
  [['previous'], 'exact; it can be missed for a late event'],
  [['firstSeen', 'profile'], 'exact: they have no window'],
  [['lastSeen'], 'exact; it can be missed for a late event'],
];

import { exactRows } from './feature-exactness.ts';
import type { KeptKind } from '../policy.ts';

/**
 * Steps of about 10 ns that one row of an entity takes when a feature is asked for, by what is kept for it. An event can make
 * the engine look at every row that an entity has: it is late, or in another currency than the one before it, or amounts are
 * so large that they are bigints. What comes in order is hundreds of times quicker.
 * Measured by `npm run bench -- hostile`.
 */
const rowSteps: Readonly<Record<KeptKind, number>> = {
  count: 5,
  fraudShare: 5,
  sum: 5,
  avg: 5,
  min: 5,
  max: 5,
  distinct: 5,
  lastSeen: 1,
  previous: 1,
  stddev: 8,
  values: 14,
  spread: 15,
  firstSeen: 0,
  profile: 0,
};

/** Steps that a feature takes at most for one event. */
export function featureCost(keeps: KeptKind): number {
  return rowSteps[keeps] * exactRows;
}

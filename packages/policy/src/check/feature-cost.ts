import { exactRows } from './feature-exactness.ts';
import type { KeptKind } from '../policy.ts';

/**
 * Steps of about 10 ns per stored row of an entity when a feature is read, by what is stored for it. In the worst case
 * one event makes the engine scan every row of an entity: the event is late, its currency differs from that of the
 * event before it, or its amounts are so large that they are bigints. Events that arrive in order are hundreds of times
 * cheaper. Measured by `npm run bench -- hostile`.
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

/** The most steps that a feature costs for one event. */
export function featureCost(keeps: KeptKind): number {
  return rowSteps[keeps] * exactRows;
}

import type { ScoredEvents } from '../../src/measures/ranking.ts';

export function scored(
  scores: readonly number[],
  labels: readonly number[],
  weights?: readonly number[],
): ScoredEvents {
  const known = { scores: Float64Array.from(scores), labels: Uint8Array.from(labels) };
  return weights === undefined ? known : { ...known, weights: Float64Array.from(weights) };
}

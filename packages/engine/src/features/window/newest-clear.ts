import type { FeatureEntity } from '../store/feature-entity.ts';
import type { FraudTimes } from '../store/fraud-times.ts';
import { counts } from '../store/rows.ts';
import type { Window } from './moving-window.ts';

/**
 * Time of the newest event in `(edgeMs, nowMs]` that is not labelled fraud: the newest instant with more events than
 * fraud. In a bucket with more events than fraud, its end. Costs the length of the run of fraud before it.
 *
 * @returns `undefined` if the window has only fraud, or nothing
 */
export function newestClearMs(entity: FeatureEntity, index: number, window: Window): number | undefined {
  const times = entity.fraudTimes[index];
  return clearRowMs(entity, { index, times }, window) ?? clearBucketMs(entity, { index, times }, window);
}

interface Labelled {
  readonly index: number;
  readonly times: FraudTimes | undefined;
}

function clearRowMs(entity: FeatureEntity, { index, times }: Labelled, { edgeMs, nowMs }: Window): number | undefined {
  const feature = entity.layout.features[index]!;
  let instantMs = Number.NaN;
  let fraud = 0;
  for (let row = lastRowUntil(entity, nowMs); row >= entity.head; row--) {
    const atMs = entity.atMs(row);
    if (atMs <= edgeMs) return undefined;
    if (!counts(feature, entity, row)) continue;
    if (times === undefined) return atMs;
    if (atMs !== instantMs) {
      instantMs = atMs;
      fraud = times.countAt(atMs);
    }
    if (fraud === 0) return atMs;
    fraud--;
  }
  return undefined;
}

/** The newest row that is not later; `head - 1` if all are later. Rows are in order of time. */
function lastRowUntil(entity: FeatureEntity, nowMs: number): number {
  let [low, high] = [entity.head, entity.end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entity.atMs(middle) > nowMs) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

function clearBucketMs(
  entity: FeatureEntity,
  { index, times }: Labelled,
  { edgeMs, nowMs }: Window,
): number | undefined {
  const tail = entity.tails.find((one) => one.feature === index);
  if (tail === undefined) return undefined;
  for (let place = tail.buckets - 1; place >= 0; place--) {
    const { fromMs, toMs, count } = tail.bucketAt(place);
    if (toMs <= edgeMs) return undefined;
    if (fromMs > nowMs) continue;
    if (count > (times?.count(fromMs - 1, toMs) ?? 0)) return Math.min(toMs, nowMs);
  }
  return undefined;
}

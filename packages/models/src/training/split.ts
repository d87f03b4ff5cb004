import { assert } from '@ringfence/contract';

/**
 * A part of history to train on, and a later one to measure by. Between them lies the delay after which fraud is known:
 * who trains at the begin of the test knows no labels of those days.
 */
export interface TimeFold {
  /** Training events are from here to before `trainToMs`. */
  readonly trainFromMs: number;
  readonly trainToMs: number;
  readonly testFromMs: number;
  readonly testToMs: number;
}

export interface SplitSettings {
  /** Labelled history: from here to before `toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
  /** After it an event without a label counts as legitimate. */
  readonly delayMs: number;
  /** Of each test. */
  readonly testMs: number;
  readonly foldsMax: number;
  /** A fold that would train on less is left out. */
  readonly trainMsMin: number;
}

/** The tests follow each other up to the end of history; each trains on all before its gap. The oldest comes first. */
export function timeFolds(settings: SplitSettings): readonly TimeFold[] {
  const { fromMs, toMs, delayMs, testMs, foldsMax, trainMsMin } = settings;
  assert(testMs > 0 && delayMs >= 0, 'a test lasts some time, and no delay is negative');
  const folds: TimeFold[] = [];
  for (let back = foldsMax; back >= 1; back--) {
    const testFromMs = toMs - back * testMs;
    const trainToMs = testFromMs - delayMs;
    if (trainToMs <= fromMs || trainToMs - fromMs < trainMsMin) continue;
    folds.push({ trainFromMs: fromMs, trainToMs, testFromMs, testToMs: testFromMs + testMs });
  }
  return folds;
}

/** An event, and when it became known that it was fraud. */
export interface LabelledTime {
  readonly atMs: number;
  readonly fraudKnownAtMs?: number;
}

/**
 * For what a fold uses an event, and as what. A label trains only if it was known when the test begins; in the test
 * every label counts that is known today.
 */
export function useOf(
  { trainFromMs, trainToMs, testFromMs, testToMs }: TimeFold,
  { atMs, fraudKnownAtMs = Infinity }: LabelledTime,
): { readonly part: 'train' | 'test'; readonly fraud: boolean } | undefined {
  if (atMs >= trainFromMs && atMs < trainToMs) return { part: 'train', fraud: fraudKnownAtMs <= testFromMs };
  if (atMs >= testFromMs && atMs < testToMs) return { part: 'test', fraud: fraudKnownAtMs < Infinity };
  return undefined;
}

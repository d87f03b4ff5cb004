import { assert } from '@ringfence/contract';

/**
 * How well scores rank fraud above the rest. All measures take one score and one label (1 for fraud) for each row, in
 * any order.
 */
export interface Scored {
  readonly score: Float64Array;
  /** 1 for fraud, else 0. */
  readonly fraud: Uint8Array;
}

/** Rows with one score, in the order from the highest score to the lowest. */
interface Step {
  readonly fraud: number;
  readonly legitimate: number;
}

/**
 * The area under the ROC curve: the probability that a fraud has a higher score than a legitimate row, where equal
 * scores count as half. From 0 to 1; 0.5 for scores that say nothing. Equals `roc_auc_score` of scikit-learn.
 *
 * @throws InvariantError without fraud, or with nothing else
 */
export function aucRoc(scored: Scored): number {
  let [fraudAbove, legitimate, area] = [0, 0, 0];
  for (const step of steps(scored)) {
    area += step.legitimate * (fraudAbove + step.fraud / 2);
    fraudAbove += step.fraud;
    legitimate += step.legitimate;
  }
  assert(fraudAbove > 0 && legitimate > 0, 'there is fraud, and something else');
  return area / (fraudAbove * legitimate);
}

/**
 * The average precision: the precision at each threshold, weighted with the recall that it adds. The thresholds are the
 * distinct scores, and nothing is interpolated, so rows with equal scores count together. Equals
 * `average_precision_score` of scikit-learn.
 *
 * @throws InvariantError without fraud
 */
export function averagePrecision(scored: Scored): number {
  let [caught, flagged, sum] = [0, 0, 0];
  for (const { fraud, legitimate } of steps(scored)) {
    caught += fraud;
    flagged += fraud + legitimate;
    sum += fraud * (caught / flagged);
  }
  assert(caught > 0, 'there is fraud');
  return sum / caught;
}

function* steps({ score, fraud }: Scored): Generator<Step> {
  assert(score.length === fraud.length, 'each row has a score and a label');
  const order = Uint32Array.from(score.keys()).sort((a, b) => score[b]! - score[a]!);
  for (let at = 0; at < order.length;) {
    const value = score[order[at]!]!;
    const from = at;
    let frauds = 0;
    for (; at < order.length && score[order[at]!] === value; at++) frauds += fraud[order[at]!]!;
    assert(at > from, 'a score is a number');
    yield { fraud: frauds, legitimate: at - from - frauds };
  }
}

import { assert } from '@ringfence/contract';

/** Events with what a model says of them and what was found out later. */
export interface ScoredEvents {
  /** A probability, log-odds or score: more is more suspicious. */
  readonly scores: Float64Array;
  /** 1 for fraud. */
  readonly labels: Uint8Array;
  /** How many events each is for, where only a share was kept. Absent: one each. */
  readonly weights?: Float64Array;
}

/** All thresholds that tell these events apart, the highest first, and what reaches each: its score is not lower. */
export interface Ranking {
  readonly thresholds: Float64Array;
  /** Frauds that reach the threshold, by weight. */
  readonly frauds: Float64Array;
  /** Legitimate events that reach it, by weight. */
  readonly legitimate: Float64Array;
  /** How many rows reach it, and how many of them are frauds: what a share is sure by. */
  readonly rows: Float64Array;
  readonly fraudRows: Float64Array;
}

export function rank({ scores, labels, weights }: ScoredEvents): Ranking {
  assert(labels.length === scores.length, 'each score has a label');
  assert(
    scores.every((score) => !Number.isNaN(score)),
    'each score is a number',
  );
  const order = Uint32Array.from(scores, (_, row) => row);
  order.sort((a, b) => scores[b]! - scores[a]! || a - b);
  const ranking = emptyRanking(order.length);
  let count = 0;
  const reached = { frauds: 0, legitimate: 0, fraudRows: 0 };
  for (let at = 0; at < order.length; at++) {
    const row = order[at]!;
    const isFraud = labels[row] === 1;
    reached[isFraud ? 'frauds' : 'legitimate'] += weights === undefined ? 1 : weights[row]!;
    if (isFraud) reached.fraudRows++;
    if (at + 1 < order.length && scores[order[at + 1]!] === scores[row]) continue;
    ranking.thresholds[count] = scores[row]!;
    ranking.frauds[count] = reached.frauds;
    ranking.legitimate[count] = reached.legitimate;
    ranking.rows[count] = at + 1;
    ranking.fraudRows[count] = reached.fraudRows;
    count++;
  }
  return {
    thresholds: ranking.thresholds.slice(0, count),
    frauds: ranking.frauds.slice(0, count),
    legitimate: ranking.legitimate.slice(0, count),
    rows: ranking.rows.slice(0, count),
    fraudRows: ranking.fraudRows.slice(0, count),
  };
}

/** One event for each group, such as the payments of a client on a day: its highest score, fraud if any was. */
export function worstOfEach(
  { scores, labels }: Omit<ScoredEvents, 'weights'>,
  groups: ArrayLike<number>,
): ScoredEvents {
  assert(groups.length === scores.length, 'each score has a group');
  const places = new Map<number, number>();
  const highest: number[] = [];
  const fraud: number[] = [];
  for (let row = 0; row < scores.length; row++) {
    const group = groups[row]!;
    const place = places.get(group) ?? places.size;
    places.set(group, place);
    highest[place] = Math.max(highest[place] ?? -Infinity, scores[row]!);
    fraud[place] = Math.max(fraud[place] ?? 0, labels[row]!);
  }
  return { scores: Float64Array.from(highest), labels: Uint8Array.from(fraud) };
}

function emptyRanking(rows: number): Ranking {
  const column = (): Float64Array => new Float64Array(rows);
  return { thresholds: column(), frauds: column(), legitimate: column(), rows: column(), fraudRows: column() };
}

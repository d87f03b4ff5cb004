import type { Calibration } from '../artifact.ts';
import { logTerms } from '../calibrated.ts';
import { probabilityOf } from '../logistic.ts';
import type { ScoredEvents } from '../measures/ranking.ts';

/** Fewer frauds, or fewer others, say too little: their share alone is off by a seventh. */
export const calibrationEventsMin = 50;

/**
 * How strongly each of the three numbers is drawn to that of no calibration. About as an event or two would: it changes
 * nothing where there are many, and keeps them finite where a model parts fraud from all else.
 */
const pull = 1;
/** Five to eight steps are usual. */
const stepsMax = 50;
/** The least part of a step that is tried. */
const partMin = 1 / 1_024;
/** A step that moves the numbers less ends the search. */
const precise = 1e-9;

/**
 * The calibration under which these labels are most probable, from log-odds of models that did not see them. Undefined
 * with too few of either kind, and if more log-odds do not mean more fraud.
 *
 * The logarithm of that probability is concave in the three numbers, so that Newton's method with shortened steps finds
 * its one maximum.
 */
export function fitCalibration({ scores, labels }: Omit<ScoredEvents, 'weights'>): Calibration | undefined {
  const frauds = labels.reduce((sum, label) => sum + label, 0);
  if (frauds < calibrationEventsMin || labels.length - frauds < calibrationEventsMin) return undefined;
  const rows = rowsOf(scores, labels);
  let best = likelihoodAt(rows, start);
  for (let steps = 0; steps < stepsMax; steps++) {
    const step = solved(best.curvature, best.gradient);
    let next = likelihoodAt(rows, moved(best.at, step, 1));
    for (let part = 0.5; !(next.value >= best.value) && part >= partMin; part /= 2)
      next = likelihoodAt(rows, moved(best.at, step, part));
    if (!(next.value >= best.value)) break;
    best = next;
    if (step.every((one) => Math.abs(one) < precise)) break;
  }
  const [shift, lowSlope, highSlope] = best.at;
  return lowSlope > 0 && highSlope > 0 ? { lowSlope, highSlope, shift } : undefined;
}

/** The shift, and both slopes; or what belongs to each of them. */
type Three = readonly [number, number, number];

const start: Three = [0, 1, 1];

interface Rows {
  /** Both terms of each row, and its label. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly labels: Uint8Array;
}

function rowsOf(scores: Float64Array, labels: Uint8Array): Rows {
  const [low, high] = [new Float64Array(scores.length), new Float64Array(scores.length)];
  for (let row = 0; row < scores.length; row++) [low[row], high[row]] = logTerms(scores[row]!);
  return { low, high, labels };
}

interface Likelihood {
  readonly at: Three;
  /** The logarithm, less the pull. */
  readonly value: number;
  /** By which it grows for each of the three. */
  readonly gradient: Three;
  /** The matrix by which the gradient falls. */
  readonly curvature: readonly [Three, Three, Three];
}

function likelihoodAt({ low, high, labels }: Rows, at: Three): Likelihood {
  const [shift, lowSlope, highSlope] = at;
  const away: Three = [shift - start[0], lowSlope - start[1], highSlope - start[2]];
  let value = (-pull / 2) * (away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
  let [g0, g1, g2] = [-pull * away[0], -pull * away[1], -pull * away[2]];
  let [h00, h11, h22] = [pull, pull, pull];
  let [h01, h02, h12] = [0, 0, 0];
  for (let row = 0; row < labels.length; row++) {
    const [a, b] = [low[row]!, high[row]!];
    const margin = shift + lowSlope * a + highSlope * b;
    const [logFraud, logClear] = logTerms(margin);
    value += labels[row] === 1 ? logFraud : -logClear;
    const p = probabilityOf(margin);
    const off = labels[row]! - p;
    g0 += off;
    g1 += off * a;
    g2 += off * b;
    const weight = p * (1 - p);
    h00 += weight;
    h01 += weight * a;
    h02 += weight * b;
    h11 += weight * a * a;
    h12 += weight * a * b;
    h22 += weight * b * b;
  }
  return {
    at,
    value,
    gradient: [g0, g1, g2],
    curvature: [
      [h00, h01, h02],
      [h01, h11, h12],
      [h02, h12, h22],
    ],
  };
}

/** Cramer's rule, for a positive definite matrix. */
function solved([a, b, c]: readonly [Three, Three, Three], right: Three): Three {
  const whole = determinant(a, b, c);
  const column = (at: number): number => {
    const replaced = (row: Three, value: number): Three =>
      [0, 1, 2].map((place) => (place === at ? value : row[place]!)) as unknown as Three;
    return determinant(replaced(a, right[0]), replaced(b, right[1]), replaced(c, right[2])) / whole;
  };
  return [column(0), column(1), column(2)];
}

function determinant(a: Three, b: Three, c: Three): number {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

function moved(at: Three, step: Three, part: number): Three {
  return [at[0] + part * step[0], at[1] + part * step[1], at[2] + part * step[2]];
}

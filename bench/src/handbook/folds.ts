import { daySeconds, firstDayEpochS, type Rows } from './rows.ts';

/** Days, from 0, on which the training weeks of the folds begin by which models and rules may be chosen. */
export const validationDays: readonly number[] = [80, 87, 94, 101];
/** Days on which the training weeks of the folds begin that measure a final configuration, once. */
export const testDays: readonly number[] = [115, 122, 129, 136];

/** Of a training week, and of the fold itself. */
const weekDays = 7;
/** Between the two: the time until fraud is known. */
const delayDays = 7;

/** The rows of one week that are scored, ascending, with what is known of them. */
export interface Fold {
  readonly row: Uint32Array;
  /** 1 for fraud. */
  readonly fraud: Uint8Array;
  readonly customer: Uint32Array;
  /** The number of the day. */
  readonly day: Uint32Array;
}

/**
 * The fold of a training week: the seven days from 14 days after the week's start on, without customers who are known to
 * be compromised. Those are customers with a fraud in the training week, and for each day of the fold also those with a
 * fraud in the days after it that are known by then.
 *
 *     day   0      7      14     21
 *           | training    | fold |
 *           |      delay--^      known on fold day d: fraud of the days 0 to 7 + d - 1
 *
 * Source: Le Borgne et al., Reproducible Machine Learning for Credit Card Fraud Detection, `get_train_test_set`
 */
export function foldOf(rows: Rows, trainingDay: number): Fold {
  const known = new Set<number>();
  const foldDay = trainingDay + weekDays + delayDays;
  for (let day = trainingDay; day < trainingDay + weekDays; day++) addCompromised(rows, day, known);
  const kept: number[] = [];
  for (let day = foldDay; day < foldDay + weekDays; day++) {
    addCompromised(rows, day - delayDays - 1, known);
    const { from, to } = rowsOfDay(rows, day);
    for (let row = from; row < to; row++) if (!known.has(rows.customer[row]!)) kept.push(row);
  }
  const row = Uint32Array.from(kept);
  return {
    row,
    fraud: Uint8Array.from(row, (at) => rows.fraud[at]!),
    customer: Uint32Array.from(row, (at) => rows.customer[at]!),
    day: Uint32Array.from(row, (at) => Math.floor((rows.epochS[at]! - firstDayEpochS) / daySeconds)),
  };
}

/** Days from the start of a training week to the end of its fold. */
export const foldEndDays = 2 * weekDays + delayDays;

/** Whether the rows cover all folds. */
export function hasFolds({ epochS, count }: Rows): boolean {
  const lastDay = Math.max(...testDays) + foldEndDays;
  return (
    count > 0 && epochS[0]! < firstDayEpochS + daySeconds && epochS.at(-1)! >= firstDayEpochS + lastDay * daySeconds
  );
}

function addCompromised(rows: Rows, day: number, customers: Set<number>): void {
  const { from, to } = rowsOfDay(rows, day);
  for (let row = from; row < to; row++) if (rows.fraud[row] === 1) customers.add(rows.customer[row]!);
}

function rowsOfDay({ epochS }: Rows, day: number): { readonly from: number; readonly to: number } {
  const startS = firstDayEpochS + day * daySeconds;
  return { from: firstFrom(epochS, startS), to: firstFrom(epochS, startS + daySeconds) };
}

/** The first row from this second on. */
function firstFrom(epochS: Uint32Array, second: number): number {
  let [low, high] = [0, epochS.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (epochS[middle]! < second) low = middle + 1;
    else high = middle;
  }
  return low;
}

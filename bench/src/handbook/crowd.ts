import { assert } from '@ringfence/contract';
import type { Bar } from '../report/bars.ts';
import { daySeconds, type Rows } from './rows.ts';

/** Features of all operations together: one entity of a million rows, of which it keeps a few thousand. */
export const crowdPolicy = `features:
  allFraud37d: { fraudShare: true, after: 7d, by: order.currency, over: 37d, on: operation }
  allRun: { fraudRun: true, after: 7d, by: order.currency, over: 37d, on: operation }
  allSinceFraud: { sinceFraud: true, after: 7d, by: order.currency, over: 37d, on: operation }
  allSinceClear: { sinceClear: true, after: 7d, by: order.currency, over: 37d, on: operation }
`;
export const crowdFeatures: readonly string[] = ['allFraud37d', 'allRun', 'allSinceFraud', 'allSinceClear'];

/** Days of history: its windows are full for two thirds of them. */
export const crowdDays = 110;

const overS = 37 * daySeconds;
const afterS = 7 * daySeconds;
/** As the reference states them: of what is newer than the edge of the window, and of what is newer than the event. */
const countErrorMax = 0.005;
const clearErrorMax = 0.01;

type EachLine = (onLine: (row: number, cells: readonly string[]) => void) => Promise<void>;

/** How far these features are from those by hand, as bars of the stated errors. */
export async function crowdErrors(rows: Rows, eachLine: EachLine): Promise<readonly Bar[]> {
  const { epochS, fraud } = rows;
  const frauds = fraudsBefore(rows);
  const worst = { count: 0, clear: 0, fraud: 0, run: 0 };
  /** The first row newer than the window's end, and the first within the window. */
  let [end, begin] = [0, 0];
  let clear = -1;
  let newestFraud = -1;
  await eachLine((row, cells) => {
    const nowS = epochS[row]!;
    for (; epochS[end]! <= nowS - afterS; end++) {
      if (fraud[end] === 1) newestFraud = end;
      else clear = end;
    }
    while (epochS[begin]! <= nowS - overS) begin++;
    const [share, run, sinceFraud, sinceClear] = cells as [string, string, string, string];
    if (end === begin) {
      assert(share === '' && run === '0' && sinceClear === '', 'an empty window has no value');
      return;
    }
    const inWindow = frauds[end]! - frauds[begin]!;
    if (inWindow > 0) {
      const counted = inWindow / Number(share);
      worst.count = Math.max(worst.count, Math.abs(counted - (end - begin)) / (row + 1 - begin));
    } else if (Number(share) !== 0) worst.fraud++;
    const newestS = newestFraud >= begin ? nowS - epochS[newestFraud]! : NaN;
    if (!Object.is(sinceFraud === '' ? NaN : Number(sinceFraud), newestS)) worst.fraud++;
    // The clear event that is found may be another one: their distance in events, of what is newer.
    const found = firstAfter(epochS, nowS - Number(sinceClear));
    const wanted = firstAfter(epochS, epochS[clear]!);
    worst.clear = Math.max(worst.clear, Math.abs(found - wanted) / (row + 1 - Math.min(found, wanted)));
    if (Number(run) !== Math.max(0, frauds[end]! - frauds[Math.min(end, found)]!)) worst.run++;
  });
  const bar = (what: string, measured: number, most: number): Bar => ({
    what: `crowded entity: ${what}`,
    measured,
    bar: most,
    must: 'stay below',
    unit: '',
  });
  return [
    bar('largest error of the count of a fraudShare, of what is newer than its edge', worst.count, countErrorMax),
    bar('largest error of the event of a sinceClear, of what is newer', worst.clear, clearErrorMax),
    bar('fraudRun that is not the fraud after that event', worst.run, 0),
    bar('sinceFraud that differs, and fraudShare without fraud', worst.fraud, 0),
  ];
}

/** For each row how many frauds come before it. */
function fraudsBefore({ count, fraud }: Rows): Uint32Array {
  const before = new Uint32Array(count + 1);
  for (let row = 0; row < count; row++) before[row + 1] = before[row]! + fraud[row]!;
  return before;
}

/** The first row later than this second. */
function firstAfter(epochS: Uint32Array, second: number): number {
  let [low, high] = [0, epochS.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (epochS[middle]! <= second) low = middle + 1;
    else high = middle;
  }
  return low;
}

import { assert } from '@ringfence/contract';
import type { Rows } from './rows.ts';

/** What a feature of the handbook's policies means, written a second time: nothing here is shared with the engine. */
export interface FeatureByHand {
  readonly kind: 'count' | 'median' | 'average' | 'largest' | LabelKind;
  readonly by: 'customer' | 'terminal';
  readonly overS: number;
  /** Of kinds over labels. */
  readonly afterS?: number;
  /** Rows of larger amounts don't count. */
  readonly amountCentsMax?: number;
  /** The row itself doesn't count. */
  readonly isWithoutThis?: true;
}

export type LabelKind = 'fraudShare' | 'fraudRun' | 'fraudRunAge' | 'sinceFraud' | 'sinceClear';

/** The rows of each customer or terminal, in order of time, and the place of each row among them. */
export interface Entities {
  readonly of: (row: number) => Uint32Array;
  readonly place: Uint32Array;
}

export function entitiesOf({ count }: Rows, column: Uint16Array): Entities {
  const sizes = new Uint32Array(2 ** 16);
  const place = new Uint32Array(count);
  for (let row = 0; row < count; row++) place[row] = sizes[column[row]!]!++;
  const rowsOf = Array.from(sizes, (size) => new Uint32Array(size));
  for (let row = 0; row < count; row++) rowsOf[column[row]!]![place[row]!] = row;
  return { of: (row) => rowsOf[column[row]!]!, place };
}

/**
 * The value of a feature at a row, by walking back over the rows of its entity. NaN is missing; times are in seconds,
 * amounts in units of the currency.
 */
export function valueByHand(rows: Rows, { of, place }: Entities, at: AtRow): number {
  const { feature, row } = at;
  const { overS, afterS = 0, amountCentsMax = Infinity, isWithoutThis } = feature;
  const { epochS, amountCents, fraud } = rows;
  const nowS = epochS[row]!;
  const known = of(row);
  const seen = newSeen();
  const isOverLabels = feature.afterS !== undefined;
  for (let at = place[row]! - (isWithoutThis ? 1 : 0); at >= 0; at--) {
    const other = known[at]!;
    const thenS = epochS[other]!;
    if (thenS <= nowS - overS) break;
    if (thenS > nowS - afterS || amountCents[other]! > amountCentsMax) continue;
    if (isOverLabels) addLabel(seen, thenS, fraud[other] === 1);
    else addAmount(seen, amountCents[other]!);
  }
  return valueOf(feature, seen, nowS);
}

interface AtRow {
  readonly feature: FeatureByHand;
  readonly row: number;
}

/** What a walk back has seen. */
interface Seen {
  count: number;
  frauds: number;
  /** Of the newest of each kind; NaN before there is one. */
  newestFraudS: number;
  newestClearS: number;
  /** The run of fraud that is newer than every legitimate row, and the part of it at the instant that is walked over. */
  run: number;
  runFirstS: number;
  pending: number;
  pendingS: number;
  sumCents: number;
  readonly cents: Uint32Array;
}

const amounts = new Uint32Array(2 ** 16);

function newSeen(): Seen {
  return {
    count: 0,
    frauds: 0,
    newestFraudS: NaN,
    newestClearS: NaN,
    run: 0,
    runFirstS: NaN,
    pending: 0,
    pendingS: NaN,
    sumCents: 0,
    cents: amounts,
  };
}

function addAmount(seen: Seen, cents: number): void {
  assert(seen.count < seen.cents.length, 'no entity has more rows');
  seen.cents[seen.count++] = cents;
  seen.sumCents += cents;
}

function addLabel(seen: Seen, thenS: number, isFraud: boolean): void {
  seen.count++;
  if (isFraud) {
    seen.frauds++;
    if (Number.isNaN(seen.newestFraudS)) seen.newestFraudS = thenS;
  }
  if (!Number.isNaN(seen.newestClearS)) return;
  if (thenS !== seen.pendingS) closeInstant(seen);
  if (isFraud) {
    seen.pending++;
    seen.pendingS = thenS;
    return;
  }
  seen.newestClearS = thenS;
  // It also ends the fraud of its own instant.
  seen.pending = 0;
}

/** The fraud of an instant belongs to the run once no legitimate row of that instant was found. */
function closeInstant(seen: Seen): void {
  if (seen.pending === 0) return;
  seen.run += seen.pending;
  seen.runFirstS = seen.pendingS;
  seen.pending = 0;
}

function valueOf({ kind }: FeatureByHand, seen: Seen, nowS: number): number {
  closeInstant(seen);
  switch (kind) {
    case 'count':
      return seen.count;
    case 'largest':
      return seen.count === 0 ? NaN : seen.cents.subarray(0, seen.count).reduce((a, b) => Math.max(a, b)) / 100;
    case 'median':
      return seen.count === 0 ? NaN : seen.cents.subarray(0, seen.count).sort()[Math.ceil(seen.count / 2) - 1]! / 100;
    case 'average':
      return seen.count === 0 ? NaN : decimalQuotient(seen.sumCents, seen.count);
    case 'fraudShare':
      return seen.count === 0 ? NaN : seen.frauds / seen.count;
    case 'fraudRun':
      return seen.run;
    case 'fraudRunAge':
      return seen.run === 0 ? NaN : nowS - seen.runFirstS;
    case 'sinceFraud':
      return nowS - seen.newestFraudS;
    case 'sinceClear':
      return nowS - seen.newestClearS;
  }
}

/** Decimals have twelve places; a tie goes to the even digit. */
function decimalQuotient(cents: number, count: number): number {
  const [dividend, divisor] = [BigInt(cents) * 10n ** 10n, BigInt(count)];
  const [quotient, rest] = [dividend / divisor, dividend % divisor];
  const isUp = 2n * rest > divisor || (2n * rest === divisor && quotient % 2n === 1n);
  const digits = String(quotient + (isUp ? 1n : 0n)).padStart(13, '0');
  return Number(`${digits.slice(0, -12)}.${digits.slice(-12)}`);
}

import { assert } from '@ringfence/contract';

/** One input of all rows; a missing value is NaN, a truth value 1 or 0, a category the position of its text. */
export type Column = Float64Array | Float32Array;

/** Whether more of an input may only raise (1) or only lower (-1) the result. */
export type Monotone = -1 | 0 | 1;

/** An input as the trainer reads it: one byte a row. */
export interface BinnedColumn {
  readonly kind: 'number' | 'category';
  readonly monotone: Monotone;
  /** The bin of each row: `missingBin`, or below `count`. */
  readonly bins: Uint8Array;
  readonly count: number;
  /**
   * Of a number: bin `b` holds what is above `edges[b - 1]` and not above `edges[b]`. The edges are values of rows, but
   * for the last, which is the largest number: above it is only infinity. Of a category, bins are positions.
   */
  readonly edges: Float64Array;
}

export const missingBin = 255;
/** Edges below the largest number: one more bin is for what is not above the largest number, one for infinity. */
const edgesMax = 253;
/** Edges that are kept for quantiles of the fraud rows: the tail of all rows is where frauds are. */
const fraudEdges = 84;
export const categoriesMax = 255;

/** Bins a column of numbers. Rows in another order give the same edges. */
export function binNumbers(column: Column, labels: Uint8Array, monotone: Monotone): BinnedColumn {
  const edges = edgesOf(column, labels);
  const bins = new Uint8Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const value = column[row]!;
    bins[row] = Number.isNaN(value) ? missingBin : binOf(value, edges);
  }
  return { kind: 'number', monotone, bins, count: edges.length + 1, edges };
}

export function binCategories(column: Column, texts: number): BinnedColumn {
  assert(texts <= categoriesMax, `a category has at most ${categoriesMax} texts`);
  const bins = new Uint8Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const value = column[row]!;
    assert(Number.isNaN(value) || (Number.isInteger(value) && value >= 0 && value < texts), 'a category is a position');
    bins[row] = Number.isNaN(value) ? missingBin : value;
  }
  return { kind: 'category', monotone: 0, bins, count: texts, edges: new Float64Array(0) };
}

/** The first edge that is not below the value; their number if all are. */
function binOf(value: number, edges: Float64Array): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value <= edges[middle]!) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Every value if there are few; otherwise quantiles of all rows and of the frauds. */
function edgesOf(column: Column, labels: Uint8Array): Float64Array {
  const all = sortedFinite(column, () => true);
  const distinct = distinctUpTo(all, edgesMax + 1);
  if (distinct !== undefined) return withLargest(distinct);
  const frauds = sortedFinite(column, (row) => labels[row] === 1);
  const chosen = new Set<number>();
  addQuantiles(chosen, frauds, fraudEdges);
  addQuantiles(chosen, all, edgesMax - fraudEdges);
  return withLargest(
    [...chosen].sort((a, b) => a - b),
    all.at(-1),
  );
}

function sortedFinite(column: Column, takes: (row: number) => boolean): Float64Array {
  const taken = new Float64Array(column.length);
  let count = 0;
  for (let row = 0; row < column.length; row++) {
    const value = column[row]!;
    // Adding 0 makes one zero of two: the negative one is written as the other.
    if (Number.isFinite(value) && takes(row)) taken[count++] = value + 0;
  }
  return taken.subarray(0, count).sort();
}

/** The distinct ones of sorted values, in order; undefined if there are more than `max`. */
function distinctUpTo(sorted: Float64Array, max: number): readonly number[] | undefined {
  const distinct: number[] = [];
  for (const value of sorted) {
    if (value === distinct.at(-1)) continue;
    if (distinct.length === max) return undefined;
    distinct.push(value);
  }
  return distinct;
}

/** Ends of `count` bins with about as many rows each. A frequent value fills one, and the others share what is left. */
function addQuantiles(chosen: Set<number>, sorted: Float64Array, count: number): void {
  let bins = count;
  let from = 0;
  for (let at = 0; at < sorted.length && bins > 1; at++) {
    if (sorted[at] === sorted[at + 1]) continue;
    if ((at + 1 - from) * bins < sorted.length - from) continue;
    chosen.add(sorted[at]!);
    from = at + 1;
    bins--;
  }
}

/** Above the largest value begins nothing, so its edge is the largest number. */
function withLargest(ascending: readonly number[], largest = ascending.at(-1)): Float64Array {
  const below = ascending.filter((edge) => edge !== largest);
  return Float64Array.from([...below, Number.MAX_VALUE]);
}

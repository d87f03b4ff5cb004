import { lateReachMs } from '../limits.ts';
import type { SubjectId } from '../record.ts';
import type { BucketTail } from './bucket-tail.ts';
import type { Cursor } from './cursor.ts';
import { Dictionary } from './dictionary.ts';
import type { DistinctTail } from './distinct-tail.ts';
import type { Layout } from './layout.ts';
import type { Rows } from './rows.ts';
import { widened } from './ticks.ts';

/** Rows that a new entity has room for; most entities never see more. */
const roomMin = 2;
/** Shared by all entities that have none of these: most are small, and there are millions. */
const nothing: readonly never[] = [];
const noTexts = new Dictionary();

/**
 * What the features of one group keep about one entity.
 *
 * ```
 * cells: [header][row][row][row] … [row][row][free]     header: when to prune; times that outlive rows (scalars);
 *                 ^head  rows by time   ^end                    sum of magnitudes per column (totals)
 * tails: merged buckets of rows that were too many
 * cursors: a window's two ends and its sums, one per feature, where rows are many
 * ```
 *
 * Rows are sorted by time; rows of the same time by arrival. Whatever changes the answer of a feature is changed by
 * events only, in an order that a restored snapshot repeats; cursors and free room are not part of the state.
 */
export class FeatureEntity implements Rows {
  readonly kind = 'feature';
  /** Its key within the group. */
  readonly key: string;
  readonly subject: SubjectId | undefined;
  changedIn = 0;
  touched = true;

  layout: Layout;
  head = 0;
  end = 0;
  /** Replaced by one of its own with its first text. */
  texts: Dictionary = noTexts;
  /** Columns that became wide, by column; its values stand beside the rows, by row. */
  wide: readonly (bigint[] | undefined)[] = nothing;
  /** Number of rows at which it looks for rows that no feature needs. */
  sweepAt: number;
  tails: readonly BucketTail[] = nothing;
  distinctTails: readonly (DistinctTail | undefined)[] = nothing;
  /** By feature; made when rows are many. */
  cursors: (Cursor | undefined)[] | undefined;
  #cells: number[];

  /** @param rows how many it has room for before it grows */
  constructor(layout: Layout, of: Pick<FeatureEntity, 'key' | 'subject'>, rows = roomMin) {
    this.layout = layout;
    this.key = of.key;
    this.subject = of.subject;
    this.sweepAt = layout.bounds.sweepRowsMin;
    this.#cells = emptyCells(layout.header + rows * layout.stride);
    this.#clearHeader();
  }

  get rows(): number {
    return this.end - this.head;
  }

  atMs(row: number): number {
    return this.#cells[this.#base(row)]!;
  }

  mask(row: number, word: number): number {
    return this.#cells[this.#base(row) + 1 + word]!;
  }

  setMask(row: number, word: number, mask: number): void {
    this.#cells[this.#base(row) + 1 + word] = mask >>> 0;
  }

  value(row: number, column: number): number {
    return this.#cells[this.#base(row) + this.layout.columnsAt + column]!;
  }

  setValue(row: number, column: number, value: number): void {
    this.#cells[this.#base(row) + this.layout.columnsAt + column] = value;
  }

  /** A time that outlives rows; NaN for none. */
  scalar(place: number): number {
    return this.#cells[1 + place]!;
  }

  setScalar(place: number, value: number): void {
    this.#cells[1 + place] = value;
  }

  /** Sum of the magnitudes in a column, so that no sum of any window leaves the safe integers. */
  total(column: number): number {
    return this.#cells[1 + this.layout.scalars + column]!;
  }

  setTotal(column: number, total: number): void {
    this.#cells[1 + this.layout.scalars + column] = total;
  }

  /** Log time from which its oldest row, or all of it, is needed no more. */
  get pruneAtMs(): number {
    return this.#cells[0]!;
  }

  /** When it will be the same as an entity that was never seen, ms; `undefined` for never. */
  get expiresAtMs(): number | undefined {
    if (this.layout.lasting) return undefined;
    let lastMs = this.rows === 0 ? 0 : this.atMs(this.end - 1);
    for (const tail of this.tails) lastMs = Math.max(lastMs, tail.lastMs);
    for (const tail of this.distinctTails) lastMs = Math.max(lastMs, tail?.lastMs ?? 0);
    return lastMs + this.layout.reachMs + lateReachMs;
  }

  /** To be called when another row has become the oldest. */
  noteHead(): void {
    const oldestMs = this.rows === 0 ? undefined : this.atMs(this.head) + this.layout.reachMs + lateReachMs;
    this.#cells[0] = oldestMs ?? this.expiresAtMs ?? Infinity;
  }

  /** As if it had never been seen. */
  reset(): void {
    this.head = 0;
    this.end = 0;
    this.#clearHeader();
    this.texts = noTexts;
    this.wide = nothing;
    this.sweepAt = this.layout.bounds.sweepRowsMin;
    this.tails = nothing;
    this.distinctTails = nothing;
    this.cursors = undefined;
  }

  /** The number of a text, a new one where it has none yet. */
  numberOf(text: string): number {
    if (this.texts === noTexts) this.texts = new Dictionary();
    return this.texts.numberOf(text);
  }

  /** Makes an empty row of this time and gives its index. Cursors learn of it by `Cursor.inserted`, once it is filled. */
  insertRow(atMs: number): number {
    this.#makeRoom();
    let row = this.end;
    while (row > this.head && this.atMs(row - 1) > atMs) row--;
    const { stride } = this.layout;
    const cells = this.#cells;
    const base = this.#base(row);
    for (let cell = this.#base(this.end) - 1; cell >= base; cell--) cells[cell + stride] = cells[cell]!;
    for (let cell = base + 1; cell < base + stride; cell++) cells[cell] = 0;
    cells[base] = atMs;
    for (const values of this.wide) values?.splice(row, 0, 0n);
    this.end++;
    if (row === this.head) this.noteHead();
    return row;
  }

  /** Copies a row over an older one. */
  moveRow(from: number, to: number): void {
    const { stride } = this.layout;
    const source = this.#base(from);
    const target = this.#base(to);
    for (let cell = 0; cell < stride; cell++) this.#cells[target + cell] = this.#cells[source + cell]!;
    for (const values of this.wide) if (values !== undefined) values[to] = values[from]!;
  }

  /** Turns a column's values into bigints, for good. */
  widen(column: number): bigint[] {
    const kind = this.layout.columns[column]!;
    const values: bigint[] = Array.from({ length: this.end }, () => 0n);
    for (let row = this.head; row < this.end; row++) {
      values[row] = widened(kind, this.value(row, column));
      this.setValue(row, column, 0);
    }
    this.wide = this.layout.columns.map((_, index) => (index === column ? values : this.wide[index]));
    this.setTotal(column, 0);
    this.cursors = undefined;
    return values;
  }

  /** Takes over what another entity keeps: this one, in another layout. */
  become(other: FeatureEntity): void {
    this.layout = other.layout;
    this.head = other.head;
    this.end = other.end;
    this.wide = other.wide;
    this.tails = other.tails;
    this.distinctTails = other.distinctTails;
    this.#cells = other.#cells;
    this.cursors = undefined;
  }

  #base(row: number): number {
    return this.layout.header + row * this.layout.stride;
  }

  #clearHeader(): void {
    const { header, scalars } = this.layout;
    this.#cells[0] = Infinity;
    for (let cell = 1; cell < header; cell++) this.#cells[cell] = cell <= scalars ? Number.NaN : 0;
  }

  #makeRoom(): void {
    const { header, stride } = this.layout;
    if (this.#base(this.end + 1) <= this.#cells.length) return;
    const { head, rows } = this;
    // Rows that were dropped leave room at the front; moving is worth it when that is at least half of all.
    const isMoved = head > 0 && head >= rows;
    const cells = isMoved ? this.#cells : emptyCells(header + Math.max(roomMin, rows * 2) * stride);
    if (!isMoved) for (let cell = 0; cell < header; cell++) cells[cell] = this.#cells[cell]!;
    const from = this.#base(head) - header;
    for (let cell = header; cell < header + rows * stride; cell++) cells[cell] = this.#cells[from + cell]!;
    this.#cells = cells;
    for (const values of this.wide) values?.splice(0, head);
    for (const cursor of this.cursors ?? nothing) cursor?.shifted(head);
    this.head = 0;
    this.end = rows;
  }
}

const zeros = zeroDoubles(1_024);

/**
 * Cells are an array that holds doubles only, which V8 keeps unboxed and in one piece. A typed array holds the same in
 * 200 bytes more, because its buffer is an object of its own: half of what most entities take.
 */
function emptyCells(count: number): number[] {
  const cells = zeros.slice(0, count);
  while (cells.length < count) cells.push(0);
  return cells;
}

/** Zeros that are kept as doubles from the beginning: an array of small integers would be made again at the first time. */
function zeroDoubles(count: number): number[] {
  const cells = [0.5];
  while (cells.length < count) cells.push(0.5);
  return cells.fill(0);
}

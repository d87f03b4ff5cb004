import type { ByteReader } from '../../store/bytes/byte-reader.ts';
import { lateReachMs } from '../../limits.ts';
import { copyCells, offsetMask, type Page } from '../../store/memory/arena.ts';
import { cellsOf, type KeyText } from '../../store/memory/key-text.ts';
import { formAt, hashAt, nameAt } from '../../store/entities/block-header.ts';
import { Extras } from './overflow.ts';
import {
  endAt,
  extrasAt,
  grownRoom,
  headAt,
  headerCells,
  inUseForm,
  layoutIdIn,
  pruneCell,
  roomAt,
  roomOf,
  shapeIn,
  sweepRowsAt,
  textsAt,
  touchedFlag,
  windowCellsIn,
} from './feature-block.ts';
import type { FeatureGroup } from './feature-group.ts';
import type { Layout, LayoutFeature } from './layout.ts';
import { fits, putTime, type RowShape, timeIn, valueIn } from './row-shape.ts';
import type { Rows } from './rows.ts';
import { TallyWindow, windowCells } from '../window/tally-window.ts';
import { Texts } from './texts.ts';
import { widened } from '../window/ticks.ts';
import { WithExtras } from './overflow-view.ts';

/** A block that an entity has moved out of. */
interface Left {
  readonly block: number;
  readonly page: Page;
  /** That it was made for. */
  readonly cells: number;
}

/**
 * A look at one feature entity: what the features of one group keep about one client, payee, device …. One look serves
 * many entities, one after the other. How they lie in memory is told in `feature-block.ts`.
 *
 * Rows are sorted by time; rows of the same time by arrival. Whatever changes the answer of a feature is changed by
 * events only, in an order that a restored snapshot repeats; objectWindows and free room are not part of the state.
 */
export class FeatureEntity extends WithExtras implements Rows {
  readonly group: FeatureGroup;
  #layout: Layout | undefined;
  #shape!: RowShape;
  #block = 0;
  #page!: Page;
  #cells!: Float64Array;
  #ints!: Int32Array;
  /** Its first cell, and its first number, in the page. */
  #cell = 0;
  #int = 0;
  /** Cell of the first scalar, of the first window, and of row 0. */
  #scalars = 0;
  #windows = 0;
  #rows = 0;
  readonly #texts: Texts;
  /** Whether `#texts` looks at those of this entity: few events ask for none of them. */
  #hasTexts = false;
  readonly #window = new TallyWindow();

  constructor(group: FeatureGroup) {
    super();
    this.group = group;
    this.#texts = new Texts(group.arena, group.seed);
  }

  get block(): number {
    return this.#block;
  }

  get layout(): Layout {
    return this.#layout!;
  }

  get shape(): RowShape {
    return this.#shape;
  }

  /** Looks at another entity, which is not absent. */
  place(block: number): this {
    this.#block = block;
    this.#hasTexts = false;
    this.#page = this.group.arena.pageOf(block);
    this.#cells = this.#page.cells;
    const ints = (this.#ints = this.#page.ints);
    this.#cell = block & offsetMask;
    const int = (this.#int = this.#cell * 2);
    const form = ints[int + formAt]!;
    const layoutId = layoutIdIn(form);
    if (this.#layout?.id !== layoutId) this.#layout = this.group.layouts(layoutId);
    const layout = this.#layout;
    this.#shape = shapeIn(form, layout);
    const name = ints[int + nameAt]!;
    this.#scalars = this.#cell + headerCells + cellsOf(name >>> 1, (name & 1) !== 0);
    this.#windows = this.#scalars + layout.scalars + layout.totals;
    this.#rows = this.#windows + windowCellsIn(form, layout);
    const extras = ints[int + extrasAt]!;
    this.extras = extras > 0 ? this.group.extras(extras) : undefined;
    return this;
  }

  /** Makes an entity of this name, of which nothing is kept yet, and looks at it. */
  begin(key: KeyText, layout: Layout): this {
    return this.place(this.group.create(key, layout)).reset();
  }

  get head(): number {
    return this.#ints[this.#int + headAt]!;
  }

  set head(row: number) {
    this.#ints[this.#int + headAt] = row;
  }

  get end(): number {
    return this.#ints[this.#int + endAt]!;
  }

  set end(row: number) {
    this.#ints[this.#int + endAt] = row;
  }

  get rows(): number {
    return this.end - this.head;
  }

  /** Number of rows at which it looks for rows that no feature needs. */
  get sweepAt(): number {
    return this.#ints[this.#int + sweepRowsAt]!;
  }

  set sweepAt(rows: number) {
    this.#ints[this.#int + sweepRowsAt] = rows;
  }

  /** Valid until one is added, or the look is placed again. */
  get texts(): Texts {
    if (!this.#hasTexts) this.#texts.place(this.#ints[this.#int + textsAt]!);
    this.#hasTexts = true;
    return this.#texts;
  }

  /** These texts from now on, numbered in this order; each must be another. */
  takeTexts(texts: readonly string[]): void {
    this.texts.take(texts);
    this.#ints[this.#int + textsAt] = this.#texts.block;
  }

  /** Keeps the texts that are marked with 1. @returns the new number of each; -1 of those that are gone */
  keepTexts(marks: Uint8Array): Int32Array {
    const numbers = this.texts.keep(marks);
    this.#ints[this.#int + textsAt] = this.#texts.block;
    return numbers;
  }

  /** Texts as they were written, where there are none yet. */
  readTexts(reader: ByteReader): void {
    this.#texts.read(reader);
    this.#hasTexts = true;
    this.#ints[this.#int + textsAt] = this.#texts.block;
  }

  /** The page that it lies in. */
  get page(): Page {
    return this.#page;
  }

  /** The number of 32 bits that a row begins with, in the page. */
  intOf(row: number): number {
    return this.#cellOf(row) * 2;
  }

  /** Whether windows lie in its block. */
  get hasWindows(): boolean {
    return this.#windows !== this.#rows;
  }

  /** The window of a feature that lies in its block and moves; valid until another one is asked for. */
  windowOf(feature: LayoutFeature): TallyWindow | undefined {
    if (!this.hasWindows || feature.window < 0) return undefined;
    const window = this.#windowAt(feature);
    return window.isBegun ? window : undefined;
  }

  /** The same, which moves from now on. The entity moves to another block where it has no room for windows yet. */
  beginWindow(feature: LayoutFeature): TallyWindow {
    if (!this.hasWindows) this.#makeWindows();
    return this.#windowAt(feature).begin(this);
  }

  /** No window of the entity moves any more, as rows have gone that it may hold; it begins again when it is asked for. */
  endWindows(): void {
    this.objectWindows = undefined;
    this.#clearWindows();
  }

  atMs(row: number): number {
    return timeIn(this.#ints, this.intOf(row));
  }

  mask(row: number, word: number): number {
    const { maskAt, maskBits } = this.#layout!;
    return this.#ints[this.intOf(row) + maskAt + word]! & maskBits;
  }

  setMask(row: number, word: number, mask: number): void {
    const { maskAt, maskBits } = this.#layout!;
    const at = this.intOf(row) + maskAt + word;
    this.#ints[at] = (this.#ints[at]! & ~maskBits) | mask;
  }

  /** Sets bits of it beside those that are set. */
  addMask(row: number, word: number, bits: number): void {
    this.#ints[this.intOf(row) + this.#layout!.maskAt + word]! |= bits;
  }

  value(row: number, column: number): number {
    return valueIn(this.#page, this.intOf(row), this.#shape.places[column]!);
  }

  /** The entity becomes broad, and moves to another block, where the value does not fit. */
  setValue(row: number, column: number, value: number): void {
    if (!fits(this.#shape.places[column]!, value)) this.#broaden();
    const { at, textBits, shift, unit } = this.#shape.places[column]!;
    const int = this.intOf(row) + at;
    if (textBits !== 0) this.#ints[int] = (this.#ints[int]! & ~(textBits << shift)) | (value << shift);
    else if (unit === 0) this.#cells[int >>> 1] = value;
    else this.#ints[int] = value / unit;
  }

  /** A time that outlives rows; NaN for none. */
  scalar(place: number): number {
    return this.#cells[this.#scalars + place]!;
  }

  setScalar(place: number, value: number): void {
    this.#cells[this.#scalars + place] = value;
  }

  /** Sum of the magnitudes in a column, so that no sum of any window leaves the safe integers. */
  total(column: number): number {
    return this.#cells[this.#totalOf(column)]!;
  }

  setTotal(column: number, total: number): void {
    this.#cells[this.#totalOf(column)] = total;
  }

  /** Log time from which its oldest row, or all of it, is needed no more. */
  get pruneAtMs(): number {
    return this.#cells[this.#cell + pruneCell]!;
  }

  /** When it will be the same as an entity that was never seen, ms; `undefined` for never. */
  get expiresAtMs(): number | undefined {
    if (this.layout.lasting) return undefined;
    let lastMs = this.rows === 0 ? 0 : this.atMs(this.end - 1);
    for (const tail of this.tails) lastMs = Math.max(lastMs, tail.lastMs);
    for (const tail of this.distinctTails) lastMs = Math.max(lastMs, tail?.lastMs ?? 0);
    for (const tail of this.countTails) lastMs = Math.max(lastMs, tail.lastMs);
    let untilMs = lastMs + this.layout.reachMs;
    for (const profiles of this.profiles) if (profiles !== undefined) untilMs = Math.max(untilMs, profiles.untilMs);
    return untilMs + lateReachMs;
  }

  /** To be called when another row has become the oldest. */
  noteHead(): void {
    const oldestMs = this.rows === 0 ? undefined : this.atMs(this.head) + this.layout.reachMs + lateReachMs;
    this.#cells[this.#cell + pruneCell] = oldestMs ?? this.expiresAtMs ?? Infinity;
  }

  /** As if it had never been seen. */
  reset(): this {
    const { scalars, totals, bounds } = this.layout;
    this.head = 0;
    this.end = 0;
    this.sweepAt = bounds.sweepRowsMin;
    this.#cells[this.#cell + pruneCell] = Infinity;
    for (let place = 0; place < scalars; place++) this.setScalar(place, Number.NaN);
    this.#cells.fill(0, this.#scalars + scalars, this.#scalars + scalars + totals);
    this.endWindows();
    this.#dropBeside();
    return this;
  }

  /** The number of a text, a new one where it has none yet. */
  numberOf(text: string): number {
    const { texts } = this;
    const number = texts.numberOf(text);
    this.#ints[this.#int + textsAt] = texts.block;
    return number;
  }

  /** Makes so many rows, of which there are none yet: times, masks and values are yet to be set. */
  appendRows(rows: number): void {
    if (rows > this.#ints[this.#int + roomAt]!) this.#makeRoom(rows);
    this.end = rows;
  }

  /** Makes an empty row of this time and gives its index. Moving windows learn of it by `MovingWindow.inserted`, once it is filled. */
  insertRow(atMs: number): number {
    if (this.end === this.#ints[this.#int + roomAt]!) this.#makeRoom(grownRoom(this.rows));
    let row = this.end;
    while (row > this.head && this.atMs(row - 1) > atMs) row--;
    const from = this.#cellOf(row);
    if (row < this.end) this.#cells.copyWithin(from + this.#shape.stride, from, this.#cellOf(this.end));
    this.beginRow(row, atMs);
    if (this.extras !== undefined) for (const values of this.extras.wide) values?.splice(row, 0, 0n);
    this.end++;
    if (row === this.head) this.noteHead();
    return row;
  }

  /** Makes a row that there is room for an empty one of this time. */
  beginRow(row: number, atMs: number): void {
    const int = this.intOf(row);
    const behind = int + this.#shape.stride * 2;
    putTime(this.#ints, int, atMs);
    for (let at = int + 2; at < behind; at++) this.#ints[at] = 0;
  }

  /** Copies a row over an older one. */
  moveRow(from: number, to: number): void {
    const { stride } = this.#shape;
    copyCells(this.#page, this.#cellOf(from), { page: this.#page, cell: this.#cellOf(to), cells: stride });
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
    this.endWindows();
    return values;
  }

  /** Moves into an empty block of this layout; gives a look at the block that it leaves, for taking over from it. */
  moveTo(layout: Layout): FeatureEntity {
    const before = new FeatureEntity(this.group).place(this.#block);
    this.#moveInto(layout, layout.narrow, { rows: this.rows, hasWindows: false });
    this.#ints[this.#int + textsAt] = 0;
    this.#ints[this.#int + extrasAt] = 0;
    this.extras = undefined;
    this.reset();
    return before;
  }

  /** Gives the block back that another look has left. */
  release(): void {
    this.#dropBeside();
    this.group.release(this.#block, this.#cellsHad());
  }

  protected override addExtras(): Extras {
    const extras = new Extras(this.layout);
    this.#ints[this.#int + extrasAt] = this.group.addExtras(extras);
    return extras;
  }

  /** Gives back what the entity keeps beside its block. */
  #dropBeside(): void {
    this.texts.release();
    this.#texts.place(0);
    this.#ints[this.#int + textsAt] = 0;
    this.group.dropExtras(this.#ints[this.#int + extrasAt]!);
    this.#ints[this.#int + extrasAt] = 0;
    this.extras = undefined;
  }

  #makeRoom(room: number): void {
    const { head, rows } = this;
    const { stride } = this.#shape;
    // Rows that were dropped leave room at the front; moving is worth it when it is enough, or half of all.
    if (head > 0 && (head >= rows || room <= this.#ints[this.#int + roomAt]!)) {
      this.#cells.copyWithin(this.#rows, this.#cellOf(head), this.#cellOf(head) + rows * stride);
    } else {
      const from = this.#cellOf(head);
      const left = this.#moveOver(this.#shape, room, this.hasWindows);
      copyCells(left.page, from, { page: this.#page, cell: this.#rows, cells: rows * stride });
      this.group.release(left.block, left.cells);
    }
    for (const values of this.wide) values?.splice(0, head);
    for (const window of this.objectWindows ?? []) window?.shifted(head);
    for (const feature of this.#layout!.features) this.windowOf(feature)?.shifted(head);
    this.head = 0;
    this.end = rows;
  }

  /** Rows keep their numbers. */
  #broaden(): void {
    const before = new FeatureEntity(this.group).place(this.#block);
    const { columns, maskWords, broad } = this.#layout!;
    const left = this.#moveOver(broad, this.#ints[this.#int + roomAt]!, this.hasWindows);
    for (let row = this.head; row < this.end; row++) {
      this.beginRow(row, before.atMs(row));
      for (let word = 0; word < maskWords; word++) this.addMask(row, word, before.mask(row, word));
      for (let column = 0; column < columns.length; column++) this.setValue(row, column, before.value(row, column));
    }
    this.group.release(left.block, left.cells);
  }

  /** Takes another block with room for so many rows, and all that stands before them with it. Gives the one that it leaves. */
  #moveOver(shape: RowShape, rows: number, hasWindows: boolean): Left {
    const left = { block: this.#block, page: this.#page, cells: this.#cellsHad() };
    const [from, cells] = [this.#scalars, this.#rows - this.#scalars];
    this.#moveInto(this.#layout!, shape, { rows, hasWindows });
    const page = this.#page;
    page.cells[this.#cell + pruneCell] = left.page.cells[(left.block & offsetMask) + pruneCell]!;
    copyCells(left.page, from, { page, cell: this.#scalars, cells });
    return left;
  }

  /** Rows keep their numbers. */
  #makeWindows(): void {
    const from = this.#rows;
    const left = this.#moveOver(this.#shape, this.#ints[this.#int + roomAt]!, true);
    copyCells(left.page, from, { page: this.#page, cell: this.#rows, cells: this.end * this.#shape.stride });
    this.#clearWindows();
    this.group.release(left.block, left.cells);
  }

  #clearWindows(): void {
    if (this.hasWindows) this.#ints.fill(0, this.#windows * 2, this.#rows * 2);
  }

  #windowAt(feature: LayoutFeature): TallyWindow {
    return this.#window.place(this.#page, this.#windows + feature.window * windowCells, feature);
  }

  /** Takes another block, with room for so many rows; header and name go with it, scalars, totals and rows do not. */
  #moveInto(
    layout: Layout,
    shape: RowShape,
    { rows, hasWindows }: { readonly rows: number; readonly hasWindows: boolean },
  ): void {
    const from = this.#block;
    const page = this.#page;
    const form = inUseForm(layout, shape, hasWindows) | (page.ints[this.#int + formAt]! & touchedFlag);
    const fixed = this.#scalars - this.#cell + layout.scalars + layout.totals + windowCellsIn(form, layout);
    const to = this.group.arena.allocate(fixed + rows * shape.stride);
    const target = this.group.arena.pageOf(to);
    const place = (to & offsetMask) * 2;
    copyCells(page, this.#cell, { page: target, cell: to & offsetMask, cells: this.#scalars - this.#cell });
    target.ints[place + formAt] = form;
    target.ints[place + roomAt] = roomOf(fixed, rows, shape);
    this.group.moved(page.ints[this.#int + hashAt]!, from, to);
    this.place(to);
  }

  /** Cells that its block was made for. */
  #cellsHad(): number {
    return this.#rows - this.#cell + this.#ints[this.#int + roomAt]! * this.#shape.stride;
  }

  #cellOf(row: number): number {
    return this.#rows + row * this.#shape.stride;
  }

  #totalOf(column: number): number {
    return this.#scalars + this.#layout!.scalars + this.#layout!.totalAt[column]!;
  }
}

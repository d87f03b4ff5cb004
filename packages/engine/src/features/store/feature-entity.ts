import type { ByteReader } from '@ringfence/contract';
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
import { TallyWindow, windowCells } from './tally-window.ts';
import { Texts } from './texts.ts';
import { widened } from '../window/ticks.ts';
import { WithExtras } from './overflow-view.ts';

/** A block that an entity has moved out of. */
interface Left {
  readonly block: number;
  readonly page: Page;
  /** The size it was allocated with. */
  readonly cells: number;
}

/**
 * Accessor (flyweight) for one feature entity: what the features of one group keep about one client, payee, device,
 * and so on. One instance serves many entities, one after the other. `feature-block.ts` documents the memory layout.
 *
 * Rows are sorted by time, and rows of equal time by arrival. Only events change what a feature returns, in an order
 * that a restored snapshot repeats. Object windows and spare capacity are not part of the state.
 */
export class FeatureEntity extends WithExtras implements Rows {
  readonly group: FeatureGroup;
  #layout: Layout | undefined;
  #shape!: RowShape;
  #block = 0;
  #page!: Page;
  #cells!: Float64Array;
  #ints!: Int32Array;
  /** Index of its first cell and of its first 32-bit number in the page. */
  #cell = 0;
  #int = 0;
  /** Cell of the first scalar, of the first window, and of row 0. */
  #scalars = 0;
  #windows = 0;
  #rows = 0;
  readonly #texts: Texts;
  /** Whether `#texts` points to the texts of this entity; many events need none of them. */
  #hasTexts = false;
  readonly #window = new TallyWindow();

  constructor(group: FeatureGroup) {
    super();
    this.group = group;
    this.#texts = new Texts(group.arena, group.seed, group.scratch.text);
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

  /** Points to another entity, which must not be absent. */
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

  /** Creates an empty entity with this name and points to it. */
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

  /** Number of rows at which the entity is next searched for rows that no feature needs. */
  get sweepAt(): number {
    return this.#ints[this.#int + sweepRowsAt]!;
  }

  set sweepAt(rows: number) {
    this.#ints[this.#int + sweepRowsAt] = rows;
  }

  /** Valid until a text is added, or `place` is called. */
  get texts(): Texts {
    if (!this.#hasTexts) this.#texts.place(this.#ints[this.#int + textsAt]!);
    this.#hasTexts = true;
    return this.#texts;
  }

  /** Replaces all texts, numbered in this order; each must be different. */
  takeTexts(texts: readonly string[]): void {
    this.texts.take(texts);
    this.#ints[this.#int + textsAt] = this.#texts.block;
  }

  /** Keeps the texts that are marked with 1. @returns the new number of each; -1 for removed ones */
  keepTexts(marks: Uint8Array): Int32Array {
    const numbers = this.texts.keep(marks);
    this.#ints[this.#int + textsAt] = this.#texts.block;
    return numbers;
  }

  /** Reads texts from a snapshot, into an entity without any. */
  readTexts(reader: ByteReader): void {
    this.#texts.read(reader);
    this.#hasTexts = true;
    this.#ints[this.#int + textsAt] = this.#texts.block;
  }

  /** The page of its block. */
  get page(): Page {
    return this.#page;
  }

  /** Index in the page of the first 32-bit number of a row. */
  intOf(row: number): number {
    return this.#cellOf(row) * 2;
  }

  /** Whether its block contains windows. */
  get hasWindows(): boolean {
    return this.#windows !== this.#rows;
  }

  /** The moving window of a feature, if it is in the block and has begun; valid until the next call. */
  windowOf(feature: LayoutFeature): TallyWindow | undefined {
    if (!this.hasWindows || feature.window < 0) return undefined;
    const window = this.#windowAt(feature);
    return window.isBegun ? window : undefined;
  }

  /** Begins a moving window. The entity moves to another block if it has no room for windows yet. */
  beginWindow(feature: LayoutFeature): TallyWindow {
    if (!this.hasWindows) this.#makeWindows();
    return this.#windowAt(feature).begin(this);
  }

  /** Ends all moving windows, because rows that they may contain are gone. They begin again when next needed. */
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

  /** Sets further bits of a mask. */
  addMask(row: number, word: number, bits: number): void {
    this.#ints[this.intOf(row) + this.#layout!.maskAt + word]! |= bits;
  }

  value(row: number, column: number): number {
    return valueIn(this.#page, this.intOf(row), this.#shape.places[column]!);
  }

  /** If the value does not fit, the entity changes to broad rows and moves to another block. */
  setValue(row: number, column: number, value: number): void {
    if (!fits(this.#shape.places[column]!, value)) this.#broaden();
    const { at, textBits, shift, unit } = this.#shape.places[column]!;
    const int = this.intOf(row) + at;
    if (textBits !== 0) this.#ints[int] = (this.#ints[int]! & ~(textBits << shift)) | (value << shift);
    else if (unit === 0) this.#cells[int >>> 1] = value;
    else this.#ints[int] = value / unit;
  }

  /** A value kept independently of rows, such as a time; NaN for none. */
  scalar(place: number): number {
    return this.#cells[this.#scalars + place]!;
  }

  setScalar(place: number, value: number): void {
    this.#cells[this.#scalars + place] = value;
  }

  /** Sum of the magnitudes in a column. While it is a safe integer, so is the sum of any window. */
  total(column: number): number {
    return this.#cells[this.#totalOf(column)]!;
  }

  setTotal(column: number, total: number): void {
    this.#cells[this.#totalOf(column)] = total;
  }

  /** Log time at which its oldest row, or the whole entity, is no longer needed. */
  get pruneAtMs(): number {
    return this.#cells[this.#cell + pruneCell]!;
  }

  /** Log time at which the entity equals an absent one, ms; `undefined` for never. */
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

  /** Must be called when the oldest row has changed. */
  noteHead(): void {
    const oldestMs = this.rows === 0 ? undefined : this.atMs(this.head) + this.layout.reachMs + lateReachMs;
    this.#cells[this.#cell + pruneCell] = oldestMs ?? this.expiresAtMs ?? Infinity;
  }

  /** Makes the entity equal to a new one. */
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

  /** The number of a text; assigns a new one if necessary. */
  numberOf(text: string): number {
    const { texts } = this;
    const number = texts.numberOf(text);
    this.#ints[this.#int + textsAt] = texts.block;
    return number;
  }

  /** Makes `rows` rows in an entity without any; times, masks and values must be set afterwards. */
  appendRows(rows: number): void {
    if (rows > this.#ints[this.#int + roomAt]!) this.#makeRoom(rows);
    this.end = rows;
  }

  /**
   * Makes an empty row of this time and returns its index. Call `rowInserted` once it is filled, for the moving
   * windows.
   */
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

  /** Initialises a row for which there is room as empty, with this time. */
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

  /** Converts a column's values to bigints, permanently. */
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

  /** Moves into an empty block of this layout. Returns an accessor for the old block, from which to copy. */
  moveTo(layout: Layout): FeatureEntity {
    const before = new FeatureEntity(this.group).place(this.#block);
    this.#moveInto(layout, layout.narrow, { rows: this.rows, hasWindows: false });
    this.#ints[this.#int + textsAt] = 0;
    this.#ints[this.#int + extrasAt] = 0;
    this.extras = undefined;
    this.reset();
    return before;
  }

  /** Releases a block that another accessor has moved out of. */
  release(): void {
    this.#dropBeside();
    this.group.release(this.#block, this.#cellsHad());
  }

  protected override addExtras(): Extras {
    const extras = new Extras(this.layout);
    this.#ints[this.#int + extrasAt] = this.group.addExtras(extras);
    return extras;
  }

  /** Releases what the entity keeps outside its block. */
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
    // Dropped rows leave free space at the front. Compacting is worth it if that is enough, or is half of all.
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

  /** Row numbers stay the same. */
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

  /** Moves to another block with room for `rows` rows, copying everything before the rows. Returns the old block. */
  #moveOver(shape: RowShape, rows: number, hasWindows: boolean): Left {
    const left = { block: this.#block, page: this.#page, cells: this.#cellsHad() };
    const [from, cells] = [this.#scalars, this.#rows - this.#scalars];
    this.#moveInto(this.#layout!, shape, { rows, hasWindows });
    const page = this.#page;
    page.cells[this.#cell + pruneCell] = left.page.cells[(left.block & offsetMask) + pruneCell]!;
    copyCells(left.page, from, { page, cell: this.#scalars, cells });
    return left;
  }

  /** Row numbers stay the same. */
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

  /**
   * Moves to another block with room for `rows` rows. Copies the header and the name, but not scalars, totals and
   * rows.
   */
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

  /** Cells that its block was allocated with. */
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

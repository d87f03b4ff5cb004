import type { Page } from '../../store/memory/arena.ts';
import { isExtreme, type LayoutFeature } from './layout.ts';
import { MovingWindow } from '../window/moving-window.ts';
import type { Rows } from './rows.ts';

/* A window of the summed kinds takes five cells in its entity's block: six 32-bit numbers and two doubles. */
const lowAt = 0;
const highAt = 1;
const countAt = 2;
const extremeAt = 3;
const currencyAt = 4;
const begunAt = 5;
const ticksCell = 3;
const edgeCell = 4;
export const windowCells = 5;

const none = -1;

/** Accessor for the window of a feature that counts, sums or finds an extreme. One instance serves many windows. */
export class TallyWindow extends MovingWindow {
  protected override feature!: LayoutFeature;
  #cells!: Float64Array;
  #ints!: Int32Array;
  #cell = 0;
  #int = 0;

  /** Points to the window at this cell, whether begun or not. */
  place({ cells, ints }: Page, cell: number, feature: LayoutFeature): this {
    this.feature = feature;
    this.#cells = cells;
    this.#ints = ints;
    this.#cell = cell;
    this.#int = cell * 2;
    return this;
  }

  get isBegun(): boolean {
    return this.#ints[this.#int + begunAt] === 1;
  }

  /** Begins the window: it is empty and moves from now on. */
  begin({ head }: Rows): this {
    this.#ints[this.#int + begunAt] = 1;
    this.low = head;
    this.high = head;
    this.currency = none;
    this.edgeMs = Infinity;
    this.clear();
    return this;
  }

  /** Discards the contents of the window. */
  end(): void {
    this.#ints[this.#int + begunAt] = 0;
  }

  get isExtreme(): boolean {
    return isExtreme(this.feature.kind);
  }

  /** Rows in the window that count. */
  get count(): number {
    return this.#ints[this.#int + countAt]!;
  }

  /** Their sum. It is exact, because sums of ticks are safe integers. */
  get ticks(): number {
    return this.#cells[this.#cell + ticksCell]!;
  }

  /** The smallest or largest value of the window, in ticks; the window must contain a row. */
  extremeTicks(rows: Rows): number {
    if (this.#extreme === none) {
      for (let row = this.low; row < this.high; row++) if (this.holds(rows, row)) this.#weigh(rows, row);
    }
    return rows.value(this.#extreme, this.feature.column);
  }

  override inserted(rows: Rows, row: number): void {
    if (row < this.high && this.#extreme >= row) this.#extreme++;
    super.inserted(rows, row);
  }

  override shifted(by: number): void {
    super.shifted(by);
    if (this.#extreme !== none) this.#extreme -= by;
  }

  protected override get low(): number {
    return this.#ints[this.#int + lowAt]!;
  }

  protected override set low(row: number) {
    this.#ints[this.#int + lowAt] = row;
  }

  protected override get high(): number {
    return this.#ints[this.#int + highAt]!;
  }

  protected override set high(row: number) {
    this.#ints[this.#int + highAt] = row;
  }

  protected override get currency(): number {
    return this.#ints[this.#int + currencyAt]!;
  }

  protected override set currency(number: number) {
    this.#ints[this.#int + currencyAt] = number;
  }

  protected override get edgeMs(): number {
    return this.#cells[this.#cell + edgeCell]!;
  }

  protected override set edgeMs(edgeMs: number) {
    this.#cells[this.#cell + edgeCell] = edgeMs;
  }

  /** The row with the smallest or largest value; -1 if unknown. */
  get #extreme(): number {
    return this.#ints[this.#int + extremeAt]!;
  }

  set #extreme(row: number) {
    this.#ints[this.#int + extremeAt] = row;
  }

  protected override clear(): void {
    this.#ints[this.#int + countAt] = 0;
    this.#cells[this.#cell + ticksCell] = 0;
    this.#extreme = none;
  }

  protected override enter(rows: Rows, row: number): void {
    const { column } = this.feature;
    const count = ++this.#ints[this.#int + countAt]!;
    if (column < 0) return;
    if (!this.isExtreme) this.#cells[this.#cell + ticksCell]! += rows.value(row, column);
    else if (count === 1 || this.#extreme !== none) this.#weigh(rows, row);
  }

  protected override leave(rows: Rows, row: number): void {
    const { column } = this.feature;
    this.#ints[this.#int + countAt]!--;
    if (column < 0) return;
    if (!this.isExtreme) this.#cells[this.#cell + ticksCell]! -= rows.value(row, column);
    else if (this.#extreme === row) this.#extreme = none;
  }

  /** Among equal values the later row is kept, because it stays in the window longer. */
  #weigh(rows: Rows, row: number): void {
    const { kind, column } = this.feature;
    if (this.#extreme !== none) {
      const difference = rows.value(row, column) - rows.value(this.#extreme, column);
      if (kind === 'max' ? difference < 0 : difference > 0) return;
    }
    this.#extreme = row;
  }
}

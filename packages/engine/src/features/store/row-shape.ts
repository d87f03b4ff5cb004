import type { Page } from '../../store/memory/arena.ts';

/**
 * The contents of a column. `int`: whole numbers. `decimal` and `double`: whole numbers of 10^-6. `text`: the number
 * of a text in the entity's dictionary.
 */
export type ColumnKind = 'int' | 'decimal' | 'double' | 'text';

/*
 * The memory layout of a row, in 32-bit numbers that fill whole cells:
 *
 * ```
 *   [mask of 16 features, time: low 16 bits][time: high 32 bits][mask of more than 16] … [texts] … [numbers] …
 * ```
 *
 * Most rows are narrow: the number of a text takes 16 bits, a whole number or an amount in hundredths 32. If one value
 * of an entity needs more, all its rows become broad: 32 bits for a text, a cell for everything else.
 */
export interface RowShape {
  readonly isBroad: boolean;
  /** Cells per row. */
  readonly stride: number;
  /** By column. */
  readonly places: readonly ColumnPlace[];
}

/** Where a row of either shape has the mask of the features that it counts for. */
export interface MaskPlace {
  /** Index of its first 32-bit number. */
  readonly maskAt: number;
  readonly maskWords: number;
  /** The bits of a word that belong to the mask. */
  readonly maskBits: number;
}

/** Where a row has the value of one column. */
export interface ColumnPlace {
  /** Index of its 32-bit number in the row, above 0; even for a value that takes a cell. */
  readonly at: number;
  /** For a text, the bits of the shifted number that are its number; otherwise 0. */
  readonly textBits: number;
  readonly shift: number;
  /** For a value in 32 bits, the ticks per unit; 0 for a value in a cell, and for a text. */
  readonly unit: number;
}

/** Up to this number of features, the mask shares a 32-bit number with the time. */
const besideTimeMax = 16;
/** Number of 32-bit numbers that the time takes. */
const behindTime = 2;
/** Bits of a mask word: JavaScript's bitwise operators work on 32. */
export const bitsPerWord = 32;
const narrowBits = 0xffff;
const ticksPerHundredth = 10_000;

/** The place of a column that does not exist. */
export const noPlace: ColumnPlace = { at: 0, textBits: 0, shift: 0, unit: 0 };

export function maskPlace(features: number): MaskPlace {
  if (features <= besideTimeMax) return { maskAt: 0, maskWords: 1, maskBits: narrowBits };
  return { maskAt: behindTime, maskWords: Math.ceil(features / bitsPerWord), maskBits: -1 };
}

export function shapeOf(columns: readonly ColumnKind[], { maskAt, maskWords }: MaskPlace, isBroad: boolean): RowShape {
  const halves = columns.map((kind) => halvesOf(kind) * (isBroad && kind !== 'double' ? 2 : 1));
  const places: ColumnPlace[] = columns.map(() => noPlace);
  let end = Math.max(behindTime, maskAt + maskWords) * 2;
  // Small values first, which leaves less padding before cells.
  for (const size of [1, 2, 4]) {
    end = Math.ceil(end / size) * size;
    columns.forEach((kind, column) => {
      if (halves[column] !== size) return;
      places[column] = placeAt(kind, end, size);
      end += size;
    });
  }
  return { isBroad, stride: Math.ceil(end / 4), places };
}

/** Size in units of 16 bits, in a narrow row. */
function halvesOf(kind: ColumnKind): number {
  return kind === 'text' ? 1 : kind === 'double' ? 4 : 2;
}

function placeAt(kind: ColumnKind, half: number, size: number): ColumnPlace {
  const at = half >>> 1;
  if (kind === 'text') return { at, textBits: size === 1 ? narrowBits : -1, shift: (half & 1) * 16, unit: 0 };
  return { ...noPlace, at, unit: size === 4 ? 0 : kind === 'decimal' ? ticksPerHundredth : 1 };
}

/** A time is stored as a number of spans of 65,536 ms, and the rest within the span. */
const spanMs = 0x1_0000;

/** The time of the row that begins at this 32-bit number, ms. */
export function timeIn(ints: Int32Array, int: number): number {
  return spanIn(ints, int) * spanMs + withinSpan(ints, int);
}

export function spanIn(ints: Int32Array, int: number): number {
  return ints[int + 1]!;
}

/** ms, below 65,536. */
export function withinSpan(ints: Int32Array, int: number): number {
  return ints[int]! >>> 16;
}

/** Less than every valid span. */
export const spanMin = -0x8000_0000;

export function spanOf(atMs: number): number {
  return Math.floor(atMs / spanMs);
}

export function withinSpanOf(atMs: number): number {
  return atMs - spanOf(atMs) * spanMs;
}

/**
 * Clears the bits of the mask that share the time's first number.
 * @param atMs at least -2^47, and below 2^47 (the year 6429)
 */
export function putTime(ints: Int32Array, int: number, atMs: number): void {
  ints[int] = withinSpanOf(atMs) << 16;
  ints[int + 1] = spanOf(atMs);
}

/** Ticks, or the number of a text. */
export function valueIn({ cells, ints }: Page, int: number, { at, textBits, shift, unit }: ColumnPlace): number {
  if (textBits !== 0) return (ints[int + at]! >>> shift) & textBits;
  return unit === 0 ? cells[(int + at) >>> 1]! : ints[int + at]! * unit;
}

/** Whether a value fits there; if not, the row must be broad. */
export function fits({ textBits, unit }: ColumnPlace, value: number): boolean {
  if (textBits !== 0) return textBits < 0 || value <= textBits;
  if (unit === 0) return true;
  const units = value / unit;
  return (units | 0) === units;
}

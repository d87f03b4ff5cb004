import type { Page } from '../../store/memory/arena.ts';

/**
 * What a column of rows holds. `int`: whole numbers as they are. `decimal` and `double`: whole numbers of 10^-6.
 * `text`: the number of a text in the entity's dictionary.
 */
export type ColumnKind = 'int' | 'decimal' | 'double' | 'text';

/*
 * How a row lies in memory, in numbers of 32 bits that fill whole cells:
 *
 * ```
 *   [mask of 16 features, time: low 16 bits][time: high 32 bits][mask of more than 16] … [texts] … [numbers] …
 * ```
 *
 * Most rows are narrow: the number of a text takes 16 bits, a whole number or an amount of hundredths 32. An entity of
 * which one value needs more has broad rows from then on: 32 bits for a text, a cell for everything else.
 */
export interface RowShape {
  readonly isBroad: boolean;
  /** Cells per row. */
  readonly stride: number;
  /** By column. */
  readonly places: readonly ColumnPlace[];
}

/** Where in a row, of either shape, the mask stands that says for which features it counts. */
export interface MaskPlace {
  /** Where it begins, in numbers of 32 bits. */
  readonly maskAt: number;
  readonly maskWords: number;
  /** The bits of a word that are the mask's. */
  readonly maskBits: number;
}

/** Where a row's value of one column stands. */
export interface ColumnPlace {
  /** Numbers of 32 bits before it in the row; even before a cell. Above 0. */
  readonly at: number;
  /** Of a text: which bits of the number there are its number, once they are shifted down; else 0. */
  readonly textBits: number;
  readonly shift: number;
  /** Of a value in 32 bits: ticks of 1 in it; 0 for one in a cell, and for a text. */
  readonly unit: number;
}

/** Features whose mask stands beside the time; more have numbers of their own. */
const besideTimeMax = 16;
/** Numbers of 32 bits before what stands behind the time. */
const behindTime = 2;
/** Bits of a mask word that JavaScript's 32-bit operators reach. */
export const bitsPerWord = 32;
const narrowBits = 0xffff;
const ticksPerHundredth = 10_000;

/** Of a column that there is not. */
export const noPlace: ColumnPlace = { at: 0, textBits: 0, shift: 0, unit: 0 };

export function maskPlace(features: number): MaskPlace {
  if (features <= besideTimeMax) return { maskAt: 0, maskWords: 1, maskBits: narrowBits };
  return { maskAt: behindTime, maskWords: Math.ceil(features / bitsPerWord), maskBits: -1 };
}

export function shapeOf(columns: readonly ColumnKind[], { maskAt, maskWords }: MaskPlace, isBroad: boolean): RowShape {
  const halves = columns.map((kind) => halvesOf(kind) * (isBroad && kind !== 'double' ? 2 : 1));
  const places: ColumnPlace[] = columns.map(() => noPlace);
  let end = Math.max(behindTime, maskAt + maskWords) * 2;
  // Small ones come first, so that less is left out before a cell.
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

/** Of 16 bits, in a narrow row. */
function halvesOf(kind: ColumnKind): number {
  return kind === 'text' ? 1 : kind === 'double' ? 4 : 2;
}

function placeAt(kind: ColumnKind, half: number, size: number): ColumnPlace {
  const at = half >>> 1;
  if (kind === 'text') return { at, textBits: size === 1 ? narrowBits : -1, shift: (half & 1) * 16, unit: 0 };
  return { ...noPlace, at, unit: size === 4 ? 0 : kind === 'decimal' ? ticksPerHundredth : 1 };
}

/** Times are told from each other by 65,536 ms at a time, and within these. */
const spanMs = 0x1_0000;

/** The time of the row whose first number of 32 bits this is, ms. */
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

/** Before every span. */
export const spanMin = -0x8000_0000;

export function spanOf(atMs: number): number {
  return Math.floor(atMs / spanMs);
}

export function withinSpanOf(atMs: number): number {
  return atMs - spanOf(atMs) * spanMs;
}

/** @param atMs from -2^47 on, and below 2^47: the years before 6429. What of the mask stands beside it becomes 0. */
export function putTime(ints: Int32Array, int: number, atMs: number): void {
  ints[int] = withinSpanOf(atMs) << 16;
  ints[int + 1] = spanOf(atMs);
}

/** Ticks, or the number of a text. */
export function valueIn({ cells, ints }: Page, int: number, { at, textBits, shift, unit }: ColumnPlace): number {
  if (textBits !== 0) return (ints[int + at]! >>> shift) & textBits;
  return unit === 0 ? cells[(int + at) >>> 1]! : ints[int + at]! * unit;
}

/** Whether a value has room there; else the row must be broad. */
export function fits({ textBits, unit }: ColumnPlace, value: number): boolean {
  if (textBits !== 0) return textBits < 0 || value <= textBits;
  if (unit === 0) return true;
  const units = value / unit;
  return (units | 0) === units;
}

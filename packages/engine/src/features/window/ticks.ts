import { bigProduct, type Decimal, decimalOne, divideDecimal, safeNumber } from '@ringfence/contract';
import type { FactType, FactValue } from '@ringfence/policy';
import type { ColumnKind } from '../store/row-shape.ts';

/*
 * A value in a cell is a whole number of ticks: 10^-6 for decimals and doubles, 1 for everything else. Sums of ticks
 * are exact while they are safe integers. A column with a value that is not a safe integer, or with sums that might
 * not be, becomes wide: its values become bigints, in units of 10^-12 for decimals.
 */

const ticksPerUnit = 1_000_000;
/** Ratio of a decimal's tick (10^-6) and the unit of `Decimal` (10^-12). */
const decimalPerTick = 1_000_000;

export function columnKindOf(type: FactType): ColumnKind {
  if (type === 'decimal' || type === 'double') return type;
  return type === 'int' || type === 'duration' || type === 'timestamp' ? 'int' : 'text';
}

/** `undefined` if the value is not a safe integer of ticks, so the column must become wide. */
export function ticksOf(kind: ColumnKind, value: FactValue): number | undefined {
  const ticks = kind === 'decimal' ? decimalTicks(value as Decimal) : numberTicks(kind, value as number);
  return Number.isSafeInteger(ticks) ? ticks : undefined;
}

/** The ticks of a wide column's value; `undefined` if they are not a safe integer. */
export function ticksOfWhole(kind: ColumnKind, value: bigint): number | undefined {
  return kind === 'decimal' ? ticksOf(kind, value as Decimal) : safeNumber(value);
}

function decimalTicks(value: Decimal): number {
  const whole = safeNumber(value);
  if (whole !== undefined) return whole % decimalPerTick === 0 ? whole / decimalPerTick : Number.NaN;
  return value % BigInt(decimalPerTick) === 0n ? Number(value / BigInt(decimalPerTick)) : Number.NaN;
}

function numberTicks(kind: ColumnKind, value: number): number {
  return kind === 'double' ? Math.round(value * ticksPerUnit) : value;
}

/** The value in the unit of a wide column, of any size. Numbers that are not finite count as 0. */
export function wideOf(kind: ColumnKind, value: FactValue): bigint {
  if (kind === 'decimal') return value as Decimal;
  const ticks = Math.round(numberTicks(kind, value as number));
  return Number.isFinite(ticks) ? BigInt(ticks) : 0n;
}

export function widened(kind: ColumnKind, ticks: number): bigint {
  return bigProduct(ticks, kind === 'decimal' ? decimalPerTick : 1);
}

/** The double nearest to a decimal, except for its last digit. */
export function doubleOfDecimal(value: bigint): number {
  return Number(value) / Number(decimalOne);
}

/** A wide value in ticks, with the precision of a double. */
export function ticksOfWide(kind: ColumnKind, value: bigint): number {
  return kind === 'decimal' ? Number(value) / decimalPerTick : Number(value);
}

/** A fact of the type of a column of this kind: `Decimal`, or a number. */
export function factOfTicks(kind: ColumnKind, ticks: number): FactValue {
  if (kind === 'decimal') return bigProduct(ticks, decimalPerTick) as Decimal;
  return kind === 'double' ? ticks / ticksPerUnit : ticks;
}

export function factOfWide(kind: ColumnKind, value: bigint): FactValue {
  if (kind === 'decimal') return value as Decimal;
  return kind === 'double' ? Number(value) / ticksPerUnit : Number(value);
}

/**
 * The average of decimals, from their sum in ticks, rounded half-even to 12 places. Fast if the sum is a safe integer
 * of 10^-12.
 *
 * @param count above 0
 */
export function averageOfTicks(ticks: number, count: number): Decimal {
  const dividend = ticks * decimalPerTick;
  const isSmall = Number.isInteger(ticks) && Number.isSafeInteger(Math.abs(dividend) + count);
  if (!isSmall) return averageOfWide(widened('decimal', ticks), count);
  let quotient = Math.floor(dividend / count);
  let rest = dividend - quotient * count;
  // The division is rounded, and may have reached the next whole number.
  if (rest < 0) {
    quotient--;
    rest += count;
  }
  const isUp = rest * 2 > count || (rest * 2 === count && quotient % 2 !== 0);
  return bigProduct(isUp ? quotient + 1 : quotient, 1) as Decimal;
}

/** The same, from a wide sum. */
export function averageOfWide(sum: bigint, count: number): Decimal {
  return divideDecimal(sum as Decimal, (BigInt(count) * decimalOne) as Decimal)!;
}

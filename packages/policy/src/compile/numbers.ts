import { type Decimal, type DecimalBounds, decimalOne, formatDecimal, parseDecimal } from '@ringfence/contract';
import type { Compiled, Run } from './compiled.ts';
import type { Type } from './type.ts';
import type { Value } from './value.ts';

/**
 * What a literal combined with money may have: as many whole digits as an amount, and all decimal places of a decimal.
 */
const literalBounds: DecimalBounds = { integerDigits: 18, scale: 12 };

/**
 * The same number as a decimal: a literal by its digits, a whole number exactly, a double by its shortest digits (0.1
 * is 0.1), rounded half-even to 12 places. `undefined` if a literal does not fit.
 */
export function asDecimal(part: Compiled): Compiled | undefined {
  if (part.type === 'decimal') return part;
  if (part.constant) {
    const value =
      part.digits === undefined ? asDecimalValue(part.type, part.run([])) : parseDecimal(part.digits, literalBounds);
    return value === undefined ? undefined : { ...part, type: 'decimal', run: () => value };
  }
  const { run, type } = part;
  const convert: Run = type === 'double' ? (facts) => decimalOf(run(facts)) : (facts) => decimalOfInteger(run(facts));
  return { ...withoutSlot(part), type: 'decimal', run: convert, cost: part.cost + 10 };
}

function withoutSlot(part: Compiled): Compiled {
  const { slot: _, ...rest } = part;
  return rest;
}

/** A number of any type as a decimal; `undefined` if it is too large for one. */
export function asDecimalValue(type: Type, value: Value): Decimal | undefined {
  if (type === 'decimal') return value as Decimal | undefined;
  return type === 'double' ? decimalOf(value) : decimalOfInteger(value);
}

export function decimalOfInteger(value: Value): Decimal | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? ((BigInt(value) * decimalOne) as Decimal) : undefined;
}

/** Missing if the number is too large for a decimal. */
export function decimalOf(value: Value): Decimal | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  if (Number.isSafeInteger(value)) return decimalOfInteger(value);
  return parseDecimal(roundedText(value), literalBounds);
}

/**
 * The shortest digits of a double, cut to 12 places. The language defines them, so they are the same on every machine.
 */
function roundedText(value: number): string {
  const text = String(value);
  if (parseDecimal(text, literalBounds) !== undefined) return text;
  return value.toFixed(12);
}

/** The nearest double: a quotient of two numbers that are exact is rounded once. */
export function doubleOf(value: Decimal): number {
  const digits = Number(value);
  if (Number.isSafeInteger(digits)) return digits / digitsOfOne;
  // Amounts have few places, so that most others are exact without the last eight.
  const amount = Number(value / belowAmounts);
  if (value % belowAmounts === 0n && Number.isSafeInteger(amount)) return amount / amountsOfOne;
  return Number(formatDecimal(value));
}

const digitsOfOne = Number(decimalOne);
const belowAmounts = 100_000_000n;
const amountsOfOne = Number(decimalOne / belowAmounts);

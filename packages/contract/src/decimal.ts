import { assert } from './assert.ts';
import { bigProduct } from './small-bigint.ts';

/**
 * Exact decimal numbers, stored as whole multiples of 10^-12: sums and comparisons are those of bigint; products and
 * quotients are rounded half-even to 12 places. No floating point anywhere.
 */
export type Decimal = bigint & { readonly unit: 'decimal-e12' };

/** One whole unit: 10^12. */
export const decimalOne = 1_000_000_000_000n as Decimal;

/** The maximum number of digits before and after the decimal point, not counting leading and trailing zeros. */
export interface DecimalBounds {
  readonly integerDigits: number;
  /** At most 12, the places of a `Decimal`. */
  readonly scale: number;
}

/**
 * Bounds of amounts of money: 18 digits hold the yearly turnover of any bank in any currency, and 6 places every minor
 * unit in use.
 */
export const amountBounds: DecimalBounds = { integerDigits: 18, scale: 6 };

const decimalPlaces = 12;
/** Whole numbers of up to 15 digits are exact as JavaScript numbers, which are much faster than bigint. */
const safeDigits = 15;
/** A number with a longer exponent is outside any bounds. */
const exponentDigitsMax = 4;
const numberGrammar = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** The powers of ten that are safe integers when multiplied by the digits. */
const smallPowers: readonly number[] = Array.from({ length: decimalPlaces + 1 }, (_, exponent) => 10 ** exponent);
const powers: readonly bigint[] = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

function powerOfTen(exponent: number): bigint {
  const power = powers[exponent];
  assert(power !== undefined, 'the exponent is within the table');
  return power;
}

/**
 * Parses a number in JSON's grammar, including exponents.
 *
 * @returns `undefined` when the text is not a number or does not fit the bounds without losing a digit
 */
export function parseDecimal(text: string, bounds: DecimalBounds = amountBounds): Decimal | undefined {
  assert(bounds.scale <= decimalPlaces, 'a decimal has 12 places');
  return parsePlain(text, bounds) ?? parseAny(text, bounds);
}

/**
 * Rounds a number in JSON's grammar half-even to the places of the bounds: `3750.2999999999997`, the noise of a double,
 * is `3750.3`.
 *
 * @returns the shortest notation; `undefined` when the text is not a number, or has too many digits before the point
 */
export function roundDecimalText(text: string, bounds: DecimalBounds = amountBounds): string | undefined {
  const parts = decimalParts(text);
  if (parts === undefined) return undefined;
  const value = parseDecimal(roundedParts(parts, bounds) ?? text, bounds);
  return value === undefined ? undefined : formatDecimal(value);
}

/** `undefined` when there is nothing to round, or too much to keep. */
function roundedParts({ negative, digits, exponent }: DecimalParts, bounds: DecimalBounds): string | undefined {
  const cut = -exponent - bounds.scale;
  if (cut <= 0 || digits.length - cut > bounds.integerDigits + bounds.scale) return undefined;
  const kept = BigInt(digits.slice(0, Math.max(0, digits.length - cut)));
  const units = roundsUp(digits, cut, kept) ? kept + 1n : kept;
  return `${negative ? '-' : ''}${units}e-${bounds.scale}`;
}

/** Whether the last `cut` of the digits, of which the last is not 0, are more than half a unit, or half of an odd one. */
function roundsUp(digits: string, cut: number, kept: bigint): boolean {
  if (cut > digits.length) return false;
  const first = digits.charCodeAt(digits.length - cut) - 48;
  return first === 5 && cut === 1 ? kept % 2n === 1n : first >= 5;
}

/** Fast path: few digits and no exponent. Returns `undefined` when the text needs the general path. */
function parsePlain(text: string, bounds: DecimalBounds): Decimal | undefined {
  const negative = text.charCodeAt(0) === 45;
  const first = negative ? 1 : 0;
  const digitsMax = Math.min(safeDigits, bounds.integerDigits);
  if (text.length - first > digitsMax || text.length === first) return undefined;
  if (text.charCodeAt(first) === 48 && text.length - first > 1 && text.charCodeAt(first + 1) !== 46) return undefined;
  let whole = 0;
  let pointAt = -1;
  for (let at = first; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) whole = whole * 10 + (code - 48);
    else if (code === 46 && pointAt === -1 && at > first && at < text.length - 1) pointAt = at;
    else return undefined;
  }
  const scale = pointAt === -1 ? 0 : text.length - 1 - pointAt;
  if (scale > bounds.scale) return undefined;
  return bigProduct(negative ? -whole : whole, smallPowers[decimalPlaces - scale]!) as Decimal;
}

function parseAny(text: string, bounds: DecimalBounds): Decimal | undefined {
  const parts = decimalParts(text);
  if (parts === undefined) return undefined;
  if (parts.digits === '') return 0n as Decimal;
  if (parts.digits.length + parts.exponent > bounds.integerDigits || -parts.exponent > bounds.scale) return undefined;
  const value = BigInt(parts.digits) * powerOfTen(decimalPlaces + parts.exponent);
  return (parts.negative ? -value : value) as Decimal;
}

/** A number as digits times a power of ten. The digits have no leading or trailing zeros; zero has no digits. */
interface DecimalParts {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/** `undefined` when the text is not a number in JSON's grammar, or its exponent has more than four digits. */
function decimalParts(text: string): DecimalParts | undefined {
  if (!numberGrammar.test(text)) return undefined;
  const negative = text.startsWith('-');
  const [mantissa = '', exponentText = '0'] = text.slice(negative ? 1 : 0).split(/[eE]/);
  if (exponentText.replace(/^[+-]?0*/, '').length > exponentDigitsMax) return undefined;
  const [integer = '', fraction = ''] = mantissa.split('.');
  const digits = withoutTrailingZeros((integer + fraction).replace(/^0+/, ''));
  const zeros = (integer + fraction).length - withoutTrailingZeros(integer + fraction).length;
  return { negative, digits, exponent: Number(exponentText) - fraction.length + zeros };
}

/** A loop, because `/0+$/` takes quadratic time for a run of zeros that does not end the text. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--;
  return digits.slice(0, end);
}

/**
 * Whether a number keeps its value as a double, which most JSON parsers convert it to: `10.10` and `1E3` do, `1e400`
 * and `12345678901234567.89` don't.
 */
export function survivesAsDouble(text: string): boolean {
  const double = Number(text);
  if (!Number.isFinite(double)) return false;
  if (String(double) === text) return true;
  const sent = decimalParts(text);
  const kept = decimalParts(String(double));
  if (sent === undefined || kept === undefined || sent.digits !== kept.digits) return false;
  return sent.digits === '' || (sent.exponent === kept.exponent && sent.negative === kept.negative);
}

/** The shortest decimal notation, without exponent or trailing zeros: `10.1`, `-0.000001`, `0`. */
export function formatDecimal(value: Decimal): string {
  const negative = value < 0n;
  const magnitude: bigint = value;
  const digits = (negative ? -magnitude : magnitude).toString().padStart(decimalPlaces + 1, '0');
  const fraction = withoutTrailingZeros(digits.slice(-decimalPlaces));
  const integer = digits.slice(0, -decimalPlaces);
  return `${negative ? '-' : ''}${integer}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The product, rounded half-even to 12 places; exact when both have at most 6. */
export function multiplyDecimal(left: Decimal, right: Decimal): Decimal {
  return roundedQuotient(left * right, decimalOne) as Decimal;
}

/** The quotient, rounded half-even to 12 places; `undefined` when `right` is zero. */
export function divideDecimal(left: Decimal, right: Decimal): Decimal | undefined {
  return right === 0n ? undefined : (roundedQuotient(left * decimalOne, right) as Decimal);
}

/** Rounds to the nearest whole number, ties to even. */
function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const rest = dividend % divisor;
  if (rest === 0n) return quotient;
  const twice = 2n * (rest < 0n ? -rest : rest);
  const whole = divisor < 0n ? -divisor : divisor;
  if (twice < whole || (twice === whole && quotient % 2n === 0n)) return quotient;
  return dividend < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}

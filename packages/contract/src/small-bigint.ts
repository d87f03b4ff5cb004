/*
 * Conversions between bigints and numbers that stay within compiled code: `BigInt()` and `Number()` are calls out of
 * it. A 64-bit bigint and its two halves share the same bytes.
 */
const whole = new BigInt64Array(1);
const halves = new Int32Array(whole.buffer);
const isLittleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
const low = isLittleEndian ? 0 : 1;
const high = 1 - low;
const halfRange = 2 ** 32;

/**
 * The exact product of two whole numbers; fast when it is a safe integer.
 *
 * @throws RangeError when one of them is not whole
 */
export function bigProduct(left: number, right: number): bigint {
  const product = left * right;
  const isSmall = Number.isSafeInteger(product) && Number.isInteger(left) && Number.isInteger(right);
  if (!isSmall) return BigInt(left) * BigInt(right);
  const upper = Math.floor(product / halfRange);
  halves[low] = product - upper * halfRange;
  halves[high] = upper;
  return whole[0]!;
}

/** The bigint as a number, if it is a safe integer. */
export function safeNumber(value: bigint): number | undefined {
  whole[0] = value;
  if (whole[0] !== value) return undefined;
  const number = halves[high]! * halfRange + (halves[low]! >>> 0);
  return Number.isSafeInteger(number) ? number : undefined;
}

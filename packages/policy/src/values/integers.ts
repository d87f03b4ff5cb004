/** A whole number of 64 bits: a `number` if it is safe, so that common values are fast, otherwise a bigint. */
export type Integer = number | bigint;

type Operation = (left: Integer, right: Integer) => Integer | undefined;

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

export const intRange: Range = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
export const uintRange: Range = { min: 0n, max: 2n ** 64n - 1n };

/** In its canonical form; `undefined` if it is out of range. */
export function integer(value: bigint, range: Range): Integer | undefined {
  if (value < range.min || value > range.max) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Truncated; `undefined` if it is out of range. */
export function truncated(value: number, range: Range): Integer | undefined {
  if (!Number.isFinite(value)) return undefined;
  return integer(BigInt(Math.trunc(value)), range);
}

/** Exact for all sizes: on numbers as long as the result is safe, otherwise on bigints. */
function operation(
  range: Range,
  onNumbers: (left: number, right: number) => number,
  onBigints: (left: bigint, right: bigint) => bigint,
): Operation {
  return (left, right) => {
    if (typeof left === 'number' && typeof right === 'number') {
      const result = onNumbers(left, right);
      if (Number.isSafeInteger(result) && (range.min < 0n || result >= 0)) return result + 0;
    }
    return integer(onBigints(BigInt(left), BigInt(right)), range);
  };
}

function nonZero(divide: Operation): Operation {
  return (left, right) => (right === 0 ? undefined : divide(left, right));
}

function operations(range: Range): Readonly<Record<'+' | '-' | '*' | '/' | '%', Operation>> {
  return {
    '+': operation(
      range,
      (a, b) => a + b,
      (a, b) => a + b,
    ),
    '-': operation(
      range,
      (a, b) => a - b,
      (a, b) => a - b,
    ),
    '*': operation(
      range,
      (a, b) => a * b,
      (a, b) => a * b,
    ),
    '/': nonZero(
      operation(
        range,
        (a, b) => Math.trunc(a / b),
        (a, b) => a / b,
      ),
    ),
    '%': nonZero(
      operation(
        range,
        (a, b) => a % b,
        (a, b) => a % b,
      ),
    ),
  };
}

export const intOperations = operations(intRange);
export const uintOperations = operations(uintRange);

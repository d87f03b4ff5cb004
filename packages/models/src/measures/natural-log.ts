/** ln 2 in two parts: a whole number times the first is exact. */
const ln2High = 0.69314718036912381649;
const ln2Low = 1.90821492927058770002e-10;
/** Terms of the series: the next one is below the last digit for every argument. */
const terms = 12;

/** ln x by a series of products and sums, equal on every machine; within 2 units of the last digit. */
export function naturalLog(x: number): number {
  if (!(x > 0)) return x === 0 ? -Infinity : NaN;
  if (x === Infinity) return x;
  let mantissa = x;
  let exponent = 0;
  // Nearly every logarithm is of a number that is in these bounds already.
  for (let step = x > 0.5 && x < 2 ? 0 : 512; step >= 1; step /= 2) {
    const factor = powerOfTwo(step);
    while (mantissa >= factor) [mantissa, exponent] = [mantissa / factor, exponent + step];
    while (mantissa * factor <= 1) [mantissa, exponent] = [mantissa * factor, exponent - step];
  }
  // Now in (0.5, 2); the series wants it within a factor of the square root of two.
  if (mantissa > 1.4142135623730951) [mantissa, exponent] = [mantissa / 2, exponent + 1];
  if (mantissa < 0.7071067811865475) [mantissa, exponent] = [mantissa * 2, exponent - 1];
  const ratio = (mantissa - 1) / (mantissa + 1);
  const square = ratio * ratio;
  let sum = 0;
  for (let term = terms; term >= 1; term--) sum = square * (sum + 1 / (2 * term + 1));
  return exponent * ln2High + (2 * ratio + (2 * ratio * sum + exponent * ln2Low));
}

function powerOfTwo(exponent: number): number {
  let power = 1;
  for (let step = 0; step < exponent; step++) power *= 2;
  return power;
}

/*
 * Sine, cosine and arc sine of doubles, to some 15 digits. The last digits of the runtime's own functions may change
 * between versions. These use only sums and products, whose results the language defines to the last digit.
 */

const radiansPerDegree = 3.141592653589793 / 180;
const halfPi = 1.5707963267948966;

/** Of an angle from -90 to 90 degrees. */
export function sinOfDegrees(degrees: number): number {
  if (degrees < 0) return -sinOfDegrees(-degrees);
  return degrees <= 45 ? sinSeries(degrees * radiansPerDegree) : cosSeries((90 - degrees) * radiansPerDegree);
}

/** Of an angle from -90 to 90 degrees. */
export function cosOfDegrees(degrees: number): number {
  return sinOfDegrees(90 - Math.abs(degrees));
}

/** In radians, for a number from 0 to 1. */
export function arcSin(value: number): number {
  if (value <= 0.5) return arcSinSeries(value);
  return halfPi - 2 * arcSinSeries(Math.sqrt((1 - value) / 2));
}

/** Up to 45 degrees, eight terms are more precise than a double. */
const terms = 8;

function sinSeries(x: number): number {
  let [term, sum] = [x, x];
  for (let at = 1; at <= terms; at++) {
    term *= (-x * x) / (2 * at * (2 * at + 1));
    sum += term;
  }
  return sum;
}

function cosSeries(x: number): number {
  let [term, sum] = [1, 1];
  for (let at = 1; at <= terms; at++) {
    term *= (-x * x) / ((2 * at - 1) * (2 * at));
    sum += term;
  }
  return sum;
}

/** Used up to a half, where each term is less than a quarter of the one before. */
const arcSinTerms = 26;

function arcSinSeries(x: number): number {
  let [factor, power, sum] = [1, x, x];
  for (let at = 1; at <= arcSinTerms; at++) {
    factor *= (2 * at - 1) / (2 * at);
    power *= x * x;
    sum += (factor * power) / (2 * at + 1);
  }
  return sum;
}

/** log2(e), and ln(2) in two parts whose first has 33 bits, so that its product with an exponent is exact. */
const log2e = 1.442_695_040_888_963_4;
const ln2High = 0.693_147_180_369_123_8;
const ln2Low = 1.908_214_929_270_587_7e-10;

/** Beyond these a double overflows, or is 0. */
const exponentMax = 709.782_712_893_384;
const exponentMin = -745.133_219_101_941_1;

/**
 * e to the power of `x`, with an error below 1 ulp, the same bits on every machine: sums and products in a fixed order.
 *
 * `x` is `k ln(2) + r` with |r| <= ln(2) / 2; a rational approximation gives e^r, and 2^k is exact.
 *
 * Source: FreeBSD's e_exp.c (fdlibm), https://netlib.org/fdlibm/e_exp.c
 */
export function exponential(x: number): number {
  if (Number.isNaN(x)) return NaN;
  if (x > exponentMax) return Infinity;
  if (x < exponentMin) return 0;
  const k = Math.round(x * log2e);
  const high = x - k * ln2High;
  const low = k * ln2Low;
  const r = high - low;
  const t = r * r;
  const series =
    r -
    t *
      (0.166_666_666_666_666_02 +
        t *
          (-0.002_777_777_777_701_559_3 +
            t * (6.613_756_321_437_934e-5 + t * (-1.653_390_220_546_525_2e-6 + t * 4.138_136_797_057_238_5e-8))));
  return timesPowerOfTwo(1 - (low - (r * series) / (2 - series) - high), k);
}

/** `value * 2^exponent`, in two steps because 2^1024 is no double. */
function timesPowerOfTwo(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return value * powerOfTwo(half) * powerOfTwo(exponent - half);
}

/** Exact for exponents from -1,022 to 1,023. */
function powerOfTwo(exponent: number): number {
  let power = 1;
  let square = exponent < 0 ? 0.5 : 2;
  for (let rest = Math.abs(exponent); rest > 0; rest >>= 1) {
    if ((rest & 1) === 1) power *= square;
    square *= square;
  }
  return power;
}

/**
 * The probability of log-odds: 1 / (1 + e^-margin), with an error below 3 ulp, the same bits on every machine. A small
 * probability keeps its digits; a large one is exact to 1 ulp of 1.
 */
export function probabilityOf(margin: number): number {
  if (margin >= 0) return 1 / (1 + exponential(-margin));
  const odds = exponential(margin);
  return odds / (1 + odds);
}

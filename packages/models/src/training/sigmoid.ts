/** ln 2 in two parts: a whole number of up to 11 bits times the first is exact. */
const ln2High = 0.69314718036912381649;
const ln2Low = 1.90821492927058770002e-10;
const perLn2 = 1.4426950408889634;
const exponentMin = -1_022;
const powers = powersOfTwo();

/** Probability of log-odds, from 0 to 1. The same on every machine: sums, products and a division. */
export function sigmoid(margin: number): number {
  if (margin >= 0) return 1 / (1 + exponential(-margin));
  const odds = exponential(margin);
  return odds / (1 + odds);
}

/** e^x by its series on (-0.35, 0.35), times a power of two. Below -708 it is 0, above 709 infinite. */
export function exponential(x: number): number {
  if (x < -708) return 0;
  if (x > 709) return Infinity;
  const twos = Math.round(x * perLn2);
  const r = x - twos * ln2High - twos * ln2Low;
  const high = 1 / 5_040 + r * (1 / 40_320 + r * (1 / 362_880 + r * (1 / 3_628_800 + r * topTerms(r))));
  const sum = 1 + r * (1 + r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r * high))))));
  return sum * powers[twos - exponentMin]!;
}

function topTerms(r: number): number {
  return 1 / 39_916_800 + r * (1 / 479_001_600 + r * (1 / 6_227_020_800));
}

/** From 2^-1022 to 2^1023. */
function powersOfTwo(): Float64Array {
  const all = new Float64Array(2_046);
  all[-exponentMin] = 1;
  for (let at = -exponentMin + 1; at < all.length; at++) all[at] = 2 * all[at - 1]!;
  for (let at = -exponentMin - 1; at >= 0; at--) all[at] = all[at + 1]! / 2;
  return all;
}

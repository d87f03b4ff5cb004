const ln2 = 0.693_147_180_559_945_3;
const halfRoot = 0.707_106_781_186_547_5;

/**
 * The logarithm to base 2 of a number above 0, to 9 digits. Uses sums and products only, so the result is the same on
 * every machine: ln x = 2 (z + z³/3 + z⁵/5 + …) with z = (x - 1) / (x + 1), for x near 1.
 */
export function log2(value: number): number {
  let rest = value;
  let whole = 0;
  for (; rest >= 2 * halfRoot; rest *= 0.5) whole++;
  for (; rest < halfRoot; rest *= 2) whole--;
  const z = (rest - 1) / (rest + 1);
  const square = z * z;
  let term = z;
  let sum = 0;
  for (let odd = 1; odd < 20; odd += 2) {
    sum += term / odd;
    term *= square;
  }
  return whole + (2 * sum) / ln2;
}

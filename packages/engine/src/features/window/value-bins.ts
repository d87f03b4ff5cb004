/*
 * Logarithmic bins for numbers. An octave (from one power of two to the next) has 128 bins of equal width, by the
 * first seven bits of the number's fraction. The middle of a bin differs by less than 0.4 % from every number in it;
 * whole numbers up to 256 have a bin each. Bin numbers ascend with the numbers in them.
 */

/** Bits of the fraction in a double's upper half, of 20, that do not affect the bin. */
const droppedBits = 13;

const double = new Float64Array(1);
/** The upper half is second on every machine that Node.js runs on. */
const halves = new Int32Array(double.buffer);

/** The bin of a finite number. */
export function binOf(value: number): number {
  double[0] = Math.abs(value);
  const bin = halves[1]! >>> droppedBits;
  return value < 0 ? -bin : bin;
}

/** The middle of a bin; for a bin with a single whole number, that number. */
export function middleOf(bin: number): number {
  const low = edgeOf(Math.abs(bin));
  const high = edgeOf(Math.abs(bin) + 1);
  const middle = high - low <= 1 ? low : Math.floor((low + high) / 2);
  return bin < 0 ? -middle : middle;
}

/** The smallest number in a bin of positive numbers. */
function edgeOf(bin: number): number {
  halves[0] = 0;
  halves[1] = bin << droppedBits;
  return double[0]!;
}

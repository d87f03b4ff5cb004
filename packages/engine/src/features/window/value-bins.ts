/*
 * Numbers in bins that are narrow beside what they hold: an octave (from a power of two to the next) is 128 bins of
 * equal width, by the first seven digits of the number's fraction. The number in the middle of a bin is off by less
 * than 0.4 % from all in it; whole numbers up to 256 have a bin each. Bins are numbered in the order of what they hold.
 */

/** Bits of a double's fraction, of 20 in its upper half, that do not tell bins apart. */
const droppedBits = 13;

const double = new Float64Array(1);
/** Its upper half stands second on every machine that Node runs on. */
const halves = new Int32Array(double.buffer);

/** The number of the bin that holds a finite number. */
export function binOf(value: number): number {
  double[0] = Math.abs(value);
  const bin = halves[1]! >>> droppedBits;
  return value < 0 ? -bin : bin;
}

/** The number in the middle of a bin; where one whole number alone is in it, that one. */
export function middleOf(bin: number): number {
  const low = edgeOf(Math.abs(bin));
  const high = edgeOf(Math.abs(bin) + 1);
  const middle = high - low <= 1 ? low : Math.floor((low + high) / 2);
  return bin < 0 ? -middle : middle;
}

/** The smallest number in a bin of positive ones. */
function edgeOf(bin: number): number {
  halves[0] = 0;
  halves[1] = bin << droppedBits;
  return double[0]!;
}

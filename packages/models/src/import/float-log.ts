/** For each sixteenth of an interval: about 1 / c, and ln(c), for a c near its middle. */
const inverses = [
  1.398907162146528, 1.3403141896637998, 1.286432210124115, 1.2367150214269895, 1.1906977166711752, 1.1479821020556429,
  1.1082251448272158, 1.0711297413057381, 1.036437278977283, 1, 0.9492859795739057, 0.8951049428609004,
  0.8476821620351103, 0.8050314851692001, 0.7664671008843108, 0.731428603316328,
] as const;
const logarithms = [
  -0.33569133332882284, -0.2929040563774074, -0.2518726580937369, -0.21245868807117255, -0.17453945183745634,
  -0.1380057072319758, -0.10275976698545139, -0.06871392447020525, -0.0357891387398228, 0, 0.05204517742929496,
  0.11081431298787942, 0.1652495223695143, 0.21687389031699977, 0.2659635028121397, 0.3127556664073557,
] as const;
const ln2 = 0.6931471805599453;

/** The interval of significands begins here: 0.69921875, so that ln(1) is exact. */
const firstBits = 0x3f33_0000;

/**
 * The natural logarithm of a normal positive 32-bit number, rounded to 32 bits exactly as the C library of Linux rounds
 * it. That is not always the nearest number: of random ones, 1 to 3 % differ from it. XGBoost uses it.
 *
 * Source: Arm's optimized routines, `logf`, which glibc and musl have taken over,
 * https://github.com/ARM-software/optimized-routines/blob/master/math/logf.c
 */
export function floatLog(x: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, x);
  const bits = view.getInt32(0);
  const offset = (bits - firstBits) | 0;
  const part = (offset >>> 19) & 15;
  const exponent = offset >> 23;
  view.setInt32(0, bits - (exponent << 23));
  const r = view.getFloat32(0) * inverses[part]! - 1;
  const whole = logarithms[part]! + exponent * ln2;
  const square = r * r;
  const low = 0.333456765744066 * r - 0.4999997485802103;
  return Math.fround((-0.25089342214237154 * square + low) * square + (whole + r));
}

/** The log-odds of a probability in 32-bit steps: `-logf(1 / p - 1)`. */
export function floatLogit(probability: number): number {
  return -floatLog(Math.fround(Math.fround(1 / Math.fround(probability)) - 1));
}

/** Points of (0, 1) and their weights: a sum over them is the integral of a polynomial. */
export interface Quadrature {
  readonly points: Float64Array;
  readonly weights: Float64Array;
}

/** More halvings than a double has bits: the interval cannot shrink further. */
const halvingsMax = 60;

/**
 * The Gauss-Legendre rule with `count` points on [0, 1]: exact for polynomials up to degree `2 count - 1`, apart from
 * rounding. All weights are positive.
 *
 * The points are roots of Legendre's polynomial. Those of one degree lie between those of the degree below, so halving
 * finds each: slower than Newton's method from a cosine, which would differ between machines.
 */
export function gaussLegendre(count: number): Quadrature {
  let roots: readonly number[] = [];
  for (let degree = 1; degree <= count; degree++) {
    const bounds = [-1, ...roots, 1];
    roots = Array.from({ length: degree }, (_, at) => rootBetween(degree, bounds[at]!, bounds[at + 1]!));
  }
  return {
    points: Float64Array.from(roots, (root) => (1 + root) / 2),
    weights: Float64Array.from(roots, (root) => weightOf(count, root)),
  };
}

function rootBetween(degree: number, from: number, to: number): number {
  let low = from;
  let high = to;
  const sign = Math.sign(legendre(degree, high).value);
  for (let halving = 0; halving < halvingsMax; halving++) {
    const middle = (low + high) / 2;
    if (Math.sign(legendre(degree, middle).value) === sign) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** Half of the weight on [-1, 1], 2 / ((1 - x^2) P'(x)^2), because the interval is half as long. */
function weightOf(degree: number, root: number): number {
  const { value, before } = legendre(degree, root);
  const slope = (degree * (root * value - before)) / (root * root - 1);
  return 1 / ((1 - root * root) * slope * slope);
}

/** Legendre's polynomials of `degree`, and of one below, at `x`. */
function legendre(degree: number, x: number): { readonly value: number; readonly before: number } {
  let before = 1;
  let value = x;
  for (let n = 2; n <= degree; n++) {
    const next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
    before = value;
    value = next;
  }
  return { value, before };
}

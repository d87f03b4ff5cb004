const pi = 3.141_592_653_589_793;
/** Radius of a sphere with the Earth's surface area. */
const earthRadiusKm = 6_371;

export interface Position {
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
}

/** Great-circle distance, km. Uses sums, products and roots only, so it is the same on every machine. */
export function kmBetween(a: Position, b: Position): number {
  const phiA = (a.latitude * pi) / 180;
  const phiB = (b.latitude * pi) / 180;
  const north = sine((phiB - phiA) / 2);
  const east = sine(((b.longitude - a.longitude) * pi) / 360);
  const half = Math.sqrt(Math.min(1, north * north + cosine(phiA) * cosine(phiB) * east * east));
  return 2 * earthRadiusKm * arcSine(half);
}

/** The Taylor series, exact to 12 digits for angles up to a half turn. */
export function sine(angle: number): number {
  const turns = Math.round(angle / (2 * pi));
  const rest = angle - turns * 2 * pi;
  const square = rest * rest;
  let term = rest;
  let sum = rest;
  for (let n = 2; n < 34; n += 2) {
    term *= -square / (n * (n + 1));
    sum += term;
  }
  return sum;
}

function cosine(angle: number): number {
  return sine(angle + pi / 2);
}

/** For 0 to 1. Above one half it uses a half-angle identity, where the series converges quickly. */
export function arcSine(value: number): number {
  if (value > 0.5) return pi / 2 - 2 * arcSine(Math.sqrt((1 - value) / 2));
  const square = value * value;
  let term = value;
  let sum = value;
  for (let n = 1; n < 48; n += 2) {
    term *= (square * n) / (n + 1);
    sum += term / (n + 2);
  }
  return sum;
}

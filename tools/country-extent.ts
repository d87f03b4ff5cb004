/** The centre and the extent of each country, from the outlines of `world-atlas` (TopoJSON). */

type Point = readonly [longitude: number, latitude: number];

export interface Atlas {
  readonly transform: { readonly scale: Point; readonly translate: Point };
  readonly arcs: readonly (readonly Point[])[];
  readonly objects: { readonly countries: { readonly geometries: readonly Geometry[] } };
}

type Geometry =
  | { readonly id?: string; readonly type: 'Polygon'; readonly arcs: readonly (readonly number[])[] }
  | { readonly id?: string; readonly type: 'MultiPolygon'; readonly arcs: readonly (readonly (readonly number[])[])[] };

export interface Extent {
  readonly at: readonly [latitude: number, longitude: number];
  readonly radiusKm: number;
}

const earthRadiusKm = 6_371;
/**
 * Islands and exclaves below this share of the land do not extend the country; overseas ones below the second share.
 */
const partMin = 0.02;
const overseasMin = 0.15;
const overseasKm = 3_000;

/** By the numeric code of ISO 3166-1, three digits. */
export function extentsOf(atlas: Atlas): ReadonlyMap<string, Extent> {
  const lines = atlas.arcs.map((arc) => absolute(arc, atlas.transform));
  const parts = new Map<string, Part[]>();
  for (const geometry of atlas.objects.countries.geometries) {
    if (geometry.id === undefined) continue;
    const outlines = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs;
    const known = parts.get(geometry.id) ?? [];
    parts.set(geometry.id, [...known, ...outlines.map((rings) => partOf(outline(rings[0]!, lines)))]);
  }
  return new Map([...parts].map(([id, of]) => [id, extentOf(of)]));
}

function absolute(arc: readonly Point[], { scale, translate }: Atlas['transform']): readonly Point[] {
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]): Point => {
    x += dx;
    y += dy;
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
}

/** A negative number means the reversed arc. */
function outline(arcs: readonly number[], lines: readonly (readonly Point[])[]): readonly Point[] {
  return arcs.flatMap((arc) => (arc >= 0 ? lines[arc]! : lines[~arc]!.toReversed()));
}

type Vector = readonly [number, number, number];

interface Part {
  readonly points: readonly Vector[];
  readonly area: number;
  /** Sum over the triangles of the outline, so that dense points have no higher weight. */
  readonly pull: Vector;
}

function vectorOf([longitude, latitude]: Point): Vector {
  const [phi, lambda] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

function partOf(points: readonly Point[]): Part {
  const vectors = points.map(vectorOf);
  const hub = sumOf(vectors);
  const middle = scaled(hub, 1 / lengthOf(hub));
  let area = 0;
  let pull: Vector = [0, 0, 0];
  vectors.forEach((a, index) => {
    const b = vectors[(index + 1) % vectors.length]!;
    const signed = dot(middle, cross(a, b)) / 2;
    area += signed;
    pull = sumOf([pull, scaled(sumOf([middle, a, b]), signed / 3)]);
  });
  return area < 0 ? { points: vectors, area: -area, pull: scaled(pull, -1) } : { points: vectors, area, pull };
}

function extentOf(parts: readonly Part[]): Extent {
  const whole = parts.reduce((sum, { area }) => sum + area, 0);
  const largest = parts.reduce((a, b) => (b.area > a.area ? b : a));
  const counted = parts.filter(
    (part) => part.area >= whole * (kmBetween(part.pull, largest.pull) > overseasKm ? overseasMin : partMin),
  );
  const pull = sumOf(counted.map((part) => part.pull));
  const middle = scaled(pull, 1 / lengthOf(pull));
  const nearness = Math.min(...counted.flatMap(({ points }) => points.map((point) => dot(point, middle))));
  return {
    at: [(Math.asin(middle[2]) * 180) / Math.PI, (Math.atan2(middle[1], middle[0]) * 180) / Math.PI],
    radiusKm: Math.acos(Math.max(-1, nearness)) * earthRadiusKm,
  };
}

function kmBetween(a: Vector, b: Vector): number {
  const cosine = dot(a, b) / (lengthOf(a) * lengthOf(b));
  return Math.acos(Math.max(-1, Math.min(1, cosine))) * earthRadiusKm;
}

function sumOf(vectors: readonly Vector[]): Vector {
  return vectors.reduce<Vector>(([x, y, z], [dx, dy, dz]) => [x + dx, y + dy, z + dz], [0, 0, 0]);
}

function scaled([x, y, z]: Vector, by: number): Vector {
  return [x * by, y * by, z * by];
}

function lengthOf(vector: Vector): number {
  return Math.sqrt(dot(vector, vector));
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

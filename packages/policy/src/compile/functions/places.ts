import { fromZero } from '../../facts/number-range.ts';
import { hourMs, secondMs } from '@ringfence/contract';
import { definer, type FunctionDefinition } from './definition.ts';
import { arcSin, cosOfDegrees, sinOfDegrees } from './trigonometry.ts';

const define = definer('places');

/** Mean radius of the Earth. Source: International Union of Geodesy and Geophysics. */
const earthRadiusKm = 6371.0088;

/** Functions of places on the Earth. */
export const places: readonly FunctionDefinition[] = [
  define('distance(latitude: double, longitude: double, latitude: double, longitude: double): double', {
    range: fromZero,
    doc: 'Kilometres between two places along the ground, each given by its latitude and longitude in degrees; within 0.6 %, because the Earth is treated as a sphere. Missing if a latitude is beyond 90 or a longitude beyond 180.',
    example: 'distance(19.43, -99.13, 25.68, -100.31) > 700',
    cost: 40,
    apply: (...[latitude, longitude, toLatitude, toLongitude]: readonly [number, number, number, number]) =>
      distanceKm({ latitude, longitude }, { latitude: toLatitude, longitude: toLongitude }),
  }),
  define('speed(kilometres: double, span: duration): double', {
    range: fromZero,
    doc: 'The speed in kilometres per hour needed to cover a distance within a span. A span below a second counts as one second, so that the result is never missing because of a zero span.',
    example: 'speed(distance(19.43, -99.13, 40.42, -3.70), client.lastSeen) > 900',
    cost: 5,
    apply: (km: number, ms: number) => (km * hourMs) / Math.max(Math.abs(ms), secondMs),
  }),
];

interface Place {
  /** Degrees, north and east above 0. */
  readonly latitude: number;
  readonly longitude: number;
}

/** By the haversine formula, which is also exact for places close to each other. */
export function distanceKm(from: Place, to: Place): number | undefined {
  if (!isPlace(from) || !isPlace(to)) return undefined;
  const east = Math.abs(to.longitude - from.longitude);
  const sinNorth = sinOfDegrees((to.latitude - from.latitude) / 2);
  const sinEast = sinOfDegrees(Math.min(east, 360 - east) / 2);
  const haversine = sinNorth * sinNorth + cosOfDegrees(from.latitude) * cosOfDegrees(to.latitude) * sinEast * sinEast;
  return 2 * earthRadiusKm * arcSin(Math.sqrt(Math.min(haversine, 1)));
}

function isPlace({ latitude, longitude }: Place): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}

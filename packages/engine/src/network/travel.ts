import { hourMs, minuteMs } from '@ringfence/contract';
import { kmBetween, type Position } from './distance.ts';

/** Where and when a client logged in. */
export interface Stop extends Position {
  readonly atMs: number;
  /** Uncertainty of the position, km. */
  readonly accuracyKm: number;
}

/** The journey between two logins. */
export interface Travel {
  /** Distance between the two positions. */
  readonly km: number;
  readonly hours: number;
  /** Minimum speed: the uncertainty of both positions is subtracted from the distance. */
  readonly kmh: number;
  readonly isImpossible: boolean;
}

/** Faster than an airliner, including the way to and from the airport. */
const kmhMax = 1_000;
/** Shorter minimum distances are ignored: neighbouring networks are often located in the next city. */
const kmMin = 100;
/** Minimum time between two logins, which avoids infinite speeds. */
const betweenMsMin = minuteMs;

export function travelBetween(from: Stop, to: Stop): Travel {
  const km = kmBetween(from, to);
  // A login that was reported late may be the earlier of the two.
  const hours = Math.max(betweenMsMin, Math.abs(to.atMs - from.atMs)) / hourMs;
  const surelyKm = Math.max(0, km - from.accuracyKm - to.accuracyKm);
  const kmh = surelyKm / hours;
  return { km: Math.round(km), hours, kmh: Math.round(kmh), isImpossible: kmh > kmhMax && surelyKm > kmMin };
}

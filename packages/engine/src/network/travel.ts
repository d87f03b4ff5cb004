import { hourMs, minuteMs } from '@ringfence/contract';
import { kmBetween, type Position } from './distance.ts';

/** Where and when a client logged in. */
export interface Stop extends Position {
  readonly atMs: number;
  /** How far from there it can have been, km. */
  readonly accuracyKm: number;
}

/** The way between two logins. */
export interface Travel {
  /** Between the two positions. */
  readonly km: number;
  readonly hours: number;
  /** Speed at the least: the uncertainty of both positions is taken off the way. */
  readonly kmh: number;
  readonly isImpossible: boolean;
}

/** Faster than airliners, from door to door. */
const kmhMax = 1_000;
/** A shorter way at the least says nothing: neighbours' networks are told to be in the next city. */
const kmMin = 100;
/** Two logins within this have this between them: no speed is infinite. */
const betweenMsMin = minuteMs;

export function travelBetween(from: Stop, to: Stop): Travel {
  const km = kmBetween(from, to);
  const hours = Math.max(betweenMsMin, to.atMs - from.atMs) / hourMs;
  const surelyKm = Math.max(0, km - from.accuracyKm - to.accuracyKm);
  const kmh = surelyKm / hours;
  return { km: Math.round(km), hours, kmh: Math.round(kmh), isImpossible: kmh > kmhMax && surelyKm > kmMin };
}

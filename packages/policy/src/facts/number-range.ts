import { dayMs } from '@ringfence/contract';

/** The possible values of a number, both ends included; durations are in milliseconds. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** A description for people. */
  readonly text: string;
  /** The single values, if they do not fill the range. */
  readonly only?: readonly number[];
}

/** Counts, distances, and ages. */
export const fromZero: NumberRange = { min: 0, max: Infinity, text: '0 or more' };
/** Degrees. */
export const latitudes: NumberRange = { min: -90, max: 90, text: '-90 to 90' };
export const longitudes: NumberRange = { min: -180, max: 180, text: '-180 to 180' };
/** IP versions. */
export const versions: NumberRange = { min: 4, max: 6, text: '4 or 6', only: [4, 6] };

/** Hours of a day. */
export const hours: NumberRange = { min: 0, max: 23, text: '0 to 23' };
/** Days of a week. */
export const weekdays: NumberRange = { min: 0, max: 6, text: '0 (Sunday) to 6' };
/** Times of a day; 24h is included because people use it as the end of a night. */
export const spansOfDay: NumberRange = { min: 0, max: dayMs, text: '0s to 24h' };
/** Shares of a whole. */
export const shares: NumberRange = { min: 0, max: 1, text: '0 to 1' };
/** Shares in thousandths. */
export const permilles: NumberRange = { min: 0, max: 1_000, text: '0 to 1000' };
export const percents: NumberRange = { min: 0, max: 100, text: '0 to 100' };

import { dayMs } from '@ringfence/contract';

/** The numbers that something can be, both ends included; of durations in milliseconds. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** As people read it. */
  readonly text: string;
}

/** Hours of a day. */
export const hours: NumberRange = { min: 0, max: 23, text: '0 to 23' };
/** Days of a week. */
export const weekdays: NumberRange = { min: 0, max: 6, text: '0 (Sunday) to 6' };
/** Times of a day; 24h itself is what people end a night by. */
export const spansOfDay: NumberRange = { min: 0, max: dayMs, text: '0s to 24h' };
/** Shares of a whole. */
export const shares: NumberRange = { min: 0, max: 1, text: '0 to 1' };
export const percents: NumberRange = { min: 0, max: 100, text: '0 to 100' };

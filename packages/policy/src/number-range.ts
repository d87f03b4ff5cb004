/** The whole numbers that something can be, both ends included. */
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

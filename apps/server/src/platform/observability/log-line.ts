import { secondMs } from '@ringfence/contract';

/** A line that comes again within this time is counted. Ten things that fail side by side make a line every 3 s. */
export const countedMs = 30 * secondMs;

export interface LogLine {
  readonly level: number;
  readonly fields: object;
  readonly message: string;
}

/** Writes this instead of the line that was taken, at its level. */
export type WriteLine = (fields: object, message: string) => void;

/** By which 30 s are counted. */
export interface LineClock {
  nowMs(): number;
  /** Calls back once, after `delayMs`; the answer calls it off. */
  after(delayMs: number, callback: () => void): () => void;
}

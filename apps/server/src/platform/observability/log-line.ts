import { secondMs } from '@ringfence/contract';

/** A line that repeats within this time is counted. Ten parallel failures still log a line every 3 s. */
export const countedMs = 30 * secondMs;

export interface LogLine {
  readonly level: number;
  readonly fields: object;
  readonly message: string;
}

/** Writes this at the level of the original line, in its place. */
export type WriteLine = (fields: object, message: string) => void;

/** The clock for the 30 s. */
export interface LineClock {
  nowMs(): number;
  /** Calls back once, after `delayMs`. Returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The one door to time: replaced in tests. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. Only differences mean something. */
  nowMs(): number;
  /**
   * Runs `task` once, after `delayMs`. The returned function cancels it.
   *
   * @param holdsProcess whether Node may not exit while it waits
   */
  schedule(delayMs: number, holdsProcess: boolean, task: () => void): () => void;
}

/** The longest wait of a timer, 24 days: Node runs one that is set for longer, or for ever, after 1 ms. */
const timerMsMax = 2 ** 31 - 1;

/** A wait as a timer takes it. */
export function timerMs(ms: number): number {
  return Math.min(ms, timerMsMax);
}

/** The process's own clock: monotonic, so that a corrected wall clock neither hurries nor delays a retry. */
export const processClock: Clock = {
  nowMs: () => performance.now(),
  schedule: (delayMs, holdsProcess, task) => {
    const timer = setTimeout(task, timerMs(delayMs));
    if (!holdsProcess) timer.unref();
    return () => clearTimeout(timer);
  },
};

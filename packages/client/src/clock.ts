/** The only access to time; replaced in tests. */
export interface Clock {
  /** Milliseconds of a monotonic clock. Only differences are meaningful. */
  nowMs(): number;
  /**
   * Runs `task` once, after `delayMs`. The returned function cancels it.
   *
   * @param holdsProcess whether the timer keeps the Node process alive
   */
  schedule(delayMs: number, holdsProcess: boolean, task: () => void): () => void;
}

/** The longest delay of a timer, 24 days: Node runs a longer or infinite one after 1 ms. */
const timerMsMax = 2 ** 31 - 1;

/** Limits a delay to what a timer supports. */
export function timerMs(ms: number): number {
  return Math.min(ms, timerMsMax);
}

/** The process's monotonic clock: a corrected wall clock neither hastens nor delays a retry. */
export const processClock: Clock = {
  nowMs: () => performance.now(),
  schedule: (delayMs, holdsProcess, task) => {
    const timer = setTimeout(task, timerMs(delayMs));
    if (!holdsProcess) timer.unref();
    return () => clearTimeout(timer);
  },
};

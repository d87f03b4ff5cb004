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

/** The process's own clock: monotonic, so that a corrected wall clock neither hurries nor delays a retry. */
export const processClock: Clock = {
  nowMs: () => performance.now(),
  schedule: (delayMs, holdsProcess, task) => {
    const timer = setTimeout(task, delayMs);
    if (!holdsProcess) timer.unref();
    return () => clearTimeout(timer);
  },
};

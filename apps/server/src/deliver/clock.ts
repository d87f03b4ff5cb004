/** The dispatcher's source of time; tests use a virtual one. */
export interface Clock {
  /** Log time, which never jumps: decides when actions become due, are leased and expire. */
  nowMs(): number;
  /** The machine's wall clock: receivers compare it with theirs. */
  machineMs(): number;
  /** Calls back once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

export function clockBy(nowMs: () => number): Clock {
  return {
    nowMs,
    machineMs: () => Date.now(),
    after: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  };
}

export const systemClock = clockBy(() => Date.now());

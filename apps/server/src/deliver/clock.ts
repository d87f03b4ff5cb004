/** Time as the dispatcher knows it; tests have one of their own. */
export interface Clock {
  /** By which actions become due, are leased and expire. In a service it is the log's, which never jumps. */
  nowMs(): number;
  /** What the machine says it is: others outside compare it with theirs. */
  machineMs(): number;
  /** Calls back once, after `delayMs`; the answer calls it off. */
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

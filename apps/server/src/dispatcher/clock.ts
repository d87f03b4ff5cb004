/** Time as the dispatcher knows it; tests have one of their own. */
export interface Clock {
  nowMs(): number;
  /** Calls back once, after `delayMs`; the answer calls it off. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

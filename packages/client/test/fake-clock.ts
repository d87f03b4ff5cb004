import type { Clock } from '../src/clock.ts';

/** A clock that moves only when told to. */
export interface FakeClock extends Clock {
  /** Moves forward, runs each task at its due time, and lets promises settle after each. */
  advance(ms: number): Promise<void>;
}

/** Runs everything that is ready: promises, and tasks for the next turn of the event loop. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export function fakeClock(): FakeClock {
  let nowMs = 1_000_000;
  let tasks: { readonly atMs: number; readonly task: () => void }[] = [];
  return {
    nowMs: () => nowMs,
    schedule: (delayMs, _holdsProcess, task) => {
      const entry = { atMs: nowMs + delayMs, task };
      tasks.push(entry);
      return () => void (tasks = tasks.filter((other) => other !== entry));
    },
    advance: async (ms) => {
      const endMs = nowMs + ms;
      await settle();
      for (;;) {
        const next = tasks.toSorted((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined || next.atMs > endMs) break;
        tasks = tasks.filter((other) => other !== next);
        nowMs = Math.max(nowMs, next.atMs);
        next.task();
        await settle();
      }
      nowMs = endMs;
    },
  };
}

import type { Pool } from 'pg';
import { noteProgress } from './backtest-rows.ts';

/** Interval of progress updates, and so the longest time for which cancelled work goes on. */
const noteEveryMs = 300;

/** The work was cancelled. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** The heartbeat of work on history: records progress periodically, and detects a cancellation. */
export class Pulse {
  progress: Parameters<typeof noteProgress>[2] = { done: 0, total: 0 };
  isCancelled = false;
  readonly #timer: NodeJS.Timeout;

  constructor(pool: Pool, id: number) {
    const beat = async (): Promise<void> => {
      if (!(await noteProgress(pool, id, this.progress))) this.isCancelled = true;
    };
    // A failed heartbeat is followed by another.
    this.#timer = setInterval(() => void beat().catch(() => undefined), noteEveryMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

import type { Clock } from '../../../src/deliver/clock.ts';

/** Time that passes when a test advances it. Due timers run in order, each to completion before the next. */
export class VirtualClock implements Clock {
  #nowMs: number;
  #sequence = 0;
  readonly #timers = new Map<number, { readonly atMs: number; readonly callback: () => void }>();

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  machineMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const id = this.#sequence++;
    this.#timers.set(id, { atMs: this.#nowMs + delayMs, callback });
    return () => this.#timers.delete(id);
  }

  async advance(forMs: number): Promise<void> {
    const untilMs = this.#nowMs + forMs;
    await settled();
    for (let next = this.#next(); next !== undefined && next.atMs <= untilMs; next = this.#next()) {
      this.#nowMs = next.atMs;
      this.#timers.delete(next.id);
      next.callback();
      await settled();
    }
    this.#nowMs = untilMs;
  }

  #next(): { readonly id: number; readonly atMs: number; readonly callback: () => void } | undefined {
    let first: { readonly id: number; readonly atMs: number; readonly callback: () => void } | undefined;
    for (const [id, timer] of this.#timers) {
      if (first === undefined || timer.atMs < first.atMs) first = { id, ...timer };
    }
    return first;
  }
}

/** Resolves in a later turn of the event loop, after all pending microtasks. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

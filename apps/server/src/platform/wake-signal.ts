/** Wakes one waiter. A wake-up before the wait is not lost. */
export class WakeSignal {
  #up = false;
  #wakeSleeper: (() => void) | undefined;

  get isUp(): boolean {
    return this.#up;
  }

  up(): void {
    this.#up = true;
    this.#wakeSleeper?.();
  }

  /** Call before looking for work: work that arrives afterwards wakes the next wait. */
  reset(): void {
    this.#up = false;
  }

  /** Resolves when woken, or after `timeoutMs`. */
  wait(timeoutMs: number): Promise<void> {
    if (this.#up || timeoutMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#wakeSleeper = undefined;
        resolve();
      };
      const timer = setTimeout(finish, timeoutMs);
      this.#wakeSleeper = finish;
    });
  }
}

/** A write beside the work that prepares the next one: at most one at a time, and none after one that failed. */
export class BackgroundWrite {
  readonly #onEnd: (isWell: boolean) => void;
  #running: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** @param onEnd called when a write has ended */
  constructor(onEnd: (isWell: boolean) => void) {
    this.#onEnd = onEnd;
  }

  /** Whether none is running. Throws the error of one that failed. */
  isIdle(): boolean {
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#running === undefined;
  }

  /** Call it when none is running. */
  start(write: () => Promise<void>): void {
    this.#running = write()
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#running = undefined;
        this.#onEnd(this.#failure === undefined);
      });
  }

  /** Resolves when none is running. Throws the error of one that failed. */
  async ended(): Promise<void> {
    await this.#running;
    this.isIdle();
  }

  /** Resolves when none is running, whether it failed or not. */
  async settled(): Promise<void> {
    await this.#running;
  }
}

/**
 * Writes that run one after the other, beside the work that prepares the next ones. Once one has failed, no later one
 * begins: `room` and `drained` throw its error.
 */
export class OrderedWrites {
  readonly #most: number;
  readonly #onFailure: () => void;
  #last: Promise<void> = Promise.resolve();
  #count = 0;
  #failure: { readonly error: unknown } | undefined;
  /** Resolves the wait for a place. */
  #freed: (() => void) | undefined;

  /**
   * @param most that are under way at the same time, with the one that runs
   * @param onFailure called once
   */
  constructor(most: number, onFailure: () => void) {
    this.#most = most;
    this.#onFailure = onFailure;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Resolves when there is a place for another one. One caller at a time. */
  async room(): Promise<void> {
    while (this.#count >= this.#most && this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#freed = resolve;
      });
    }
    this.#check();
  }

  /** Has the write run after the earlier ones. */
  add(write: () => Promise<void>): void {
    this.#count += 1;
    this.#last = this.#last.then(() => this.#run(write));
  }

  /** Resolves when all are written. */
  async drained(): Promise<void> {
    await this.#last;
    this.#check();
  }

  /** Resolves when none is under way, whether they failed or not. */
  settled(): Promise<void> {
    return this.#last;
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #run(write: () => Promise<void>): Promise<void> {
    try {
      if (this.#failure === undefined) await write();
    } catch (error) {
      this.#failure = { error };
      this.#onFailure();
    } finally {
      this.#count -= 1;
      this.#freed?.();
      this.#freed = undefined;
    }
  }
}

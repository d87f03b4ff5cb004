/** What was started, to be stopped in the reverse order: once, and to the end even when one part fails to stop. */
export class Stages {
  readonly #stops: { readonly name: string; readonly stop: () => Promise<void> | void }[] = [];
  #stopped: Promise<void> | undefined;

  /** Notes how to stop a part that has just been started. */
  started(name: string, stop: () => Promise<void> | void): void {
    this.#stops.push({ name, stop });
  }

  /** @param onError told of each part that did not stop cleanly */
  stop(onError: (name: string, error: unknown) => void): Promise<void> {
    this.#stopped ??= this.#stopAll(onError);
    return this.#stopped;
  }

  async #stopAll(onError: (name: string, error: unknown) => void): Promise<void> {
    for (const { name, stop } of this.#stops.toReversed()) {
      try {
        await stop();
      } catch (error) {
        onError(name, error);
      }
    }
  }
}

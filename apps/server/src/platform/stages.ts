interface Stage {
  readonly name: string;
  readonly stop: () => Promise<void> | void;
  readonly cut: (() => void) | undefined;
}

/** The whole stop has 5 s. The rest is for what ends after the cut, such as the embedded database. */
const cutAfterMs = 3_500;

export interface StopOptions {
  /** Called for each part that did not stop cleanly. */
  readonly onError: (name: string, error: unknown) => void;
  /** Called with the part that was being stopped when the remaining ones were cut. */
  readonly onCut: (name: string) => void;
  readonly cutAfterMs?: number;
}

/**
 * Stops the started parts in reverse order: once, and all of them even if one fails to stop. Parts that use the
 * database may wait long, for a lock or for an answer. After 3.5 s everything that can be cut is cut, and the rest then
 * ends as after a kill.
 */
export class Stages {
  readonly #stages: Stage[] = [];
  #stopped: Promise<void> | undefined;

  /**
   * Registers how to stop a part that has just been started.
   *
   * @param cut immediately ends what its own `stop`, or that of parts that depend on it, would wait for
   */
  started(name: string, stop: Stage['stop'], cut?: () => void): void {
    this.#stages.push({ name, stop, cut });
  }

  stop(options: StopOptions): Promise<void> {
    this.#stopped ??= this.#stopAll(options);
    return this.#stopped;
  }

  /** Cuts every part that can be cut, of stages that are a part themselves. */
  cut(): void {
    for (const { cut } of this.#stages.toReversed()) cut?.();
  }

  async #stopAll({ onError, onCut, cutAfterMs: afterMs = cutAfterMs }: StopOptions): Promise<void> {
    const stages = this.#stages.toReversed();
    let stopping = '';
    const cutting = setTimeout(() => {
      onCut(stopping);
      this.cut();
    }, afterMs);
    for (const { name, stop } of stages) {
      stopping = name;
      try {
        await stop();
      } catch (error) {
        onError(name, error);
      }
    }
    clearTimeout(cutting);
  }
}

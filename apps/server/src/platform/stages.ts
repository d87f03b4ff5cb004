interface Stage {
  readonly name: string;
  readonly stop: () => Promise<void> | void;
  readonly cut: (() => void) | undefined;
}

/** The whole stop has 5 s: the rest is for what ends after the cut, the embedded database among it. */
const cutAfterMs = 3_500;

export interface StopOptions {
  /** Told of each part that did not stop cleanly. */
  readonly onError: (name: string, error: unknown) => void;
  /** Told of the part that was being stopped when what is left was cut. */
  readonly onCut: (name: string) => void;
  readonly cutAfterMs?: number;
}

/**
 * What was started, to be stopped in the reverse order: once, and to the end even when one part fails to stop. Parts that wait
 * for the database may wait long, for a lock that somebody else holds or an answer that does not come: after 3.5 s all that
 * can be cut is, and the rest ends by that, as after a kill.
 */
export class Stages {
  readonly #stages: Stage[] = [];
  #stopped: Promise<void> | undefined;

  /**
   * Notes how to stop a part that has just been started.
   *
   * @param cut ends at once what its own `stop`, or that of parts that stand on it, would wait for
   */
  started(name: string, stop: Stage['stop'], cut?: () => void): void {
    this.#stages.push({ name, stop, cut });
  }

  stop(options: StopOptions): Promise<void> {
    this.#stopped ??= this.#stopAll(options);
    return this.#stopped;
  }

  async #stopAll({ onError, onCut, cutAfterMs: afterMs = cutAfterMs }: StopOptions): Promise<void> {
    const stages = this.#stages.toReversed();
    let stopping = '';
    const cutting = setTimeout(() => {
      onCut(stopping);
      for (const { cut } of stages) cut?.();
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

import type { Hearing, Notifications } from '@ringfence/log';

/** Between two looks when no notification comes: bounds how stale a process can be when notifications are lost. */
export const pollMs = 2_000;

export interface ChangeFeedOptions {
  readonly channel: string;
  /** Called with each new connection that listens. */
  readonly listening?: Hearing['listening'];
  /** Looks what changed. Never runs twice at once; an error is passed to `onError`, and the next look comes anyway. */
  readonly look: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Looks again whenever PostgreSQL notifies, and every 2 s for when it could not: a connection that broke, a proxy that
 * does not pass notifications on.
 */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  #hearNoMore: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #turning: Promise<void> | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
  }

  start(notifications: Notifications): void {
    const { channel, listening } = this.#options;
    const told = (): void => void this.wake();
    this.#hearNoMore = notifications.hear(channel, listening === undefined ? { told } : { told, listening });
    this.#turning = this.#turn();
  }

  /** Returns when no look is under way any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#hearNoMore?.();
    clearTimeout(this.#timer);
    await this.#turning;
    await this.#looking;
  }

  /** Looks now; when a look is under way, once more after it. Resolves after a look that began after this call. */
  async wake(): Promise<void> {
    this.#again = true;
    while (!this.#isClosed() && (this.#again || this.#looking !== undefined)) {
      this.#looking ??= this.#lookOnce();
      await this.#looking;
    }
  }

  async #lookOnce(): Promise<void> {
    this.#again = false;
    try {
      await this.#options.look();
    } catch (error) {
      this.#options.onError(error);
    } finally {
      this.#looking = undefined;
    }
  }

  async #turn(): Promise<void> {
    await this.wake();
    if (this.#isClosed()) return;
    this.#timer = setTimeout(() => {
      this.#turning = this.#turn();
    }, pollMs);
  }

  // As a method, because TypeScript does not know that `close` may run during an await.
  #isClosed(): boolean {
    return this.#closed;
  }
}

import type { Hearing, Notifications } from '@ringfence/log';

/** The poll interval without notifications: bounds how stale a process can be when notifications are lost. */
export const pollMs = 2_000;

export interface ChangeFeedOptions {
  readonly channel: string;
  /** Called with each new listening connection. */
  readonly listening?: Hearing['listening'];
  /** Reads what changed. Never runs concurrently with itself; errors go to `onError`, and polling continues. */
  readonly look: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Calls `look` at each PostgreSQL notification, and every 2 s in case notifications are lost: because of a broken
 * connection, or a proxy that does not forward them.
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

  /** Resolves when no `look` is running any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#hearNoMore?.();
    clearTimeout(this.#timer);
    await this.#turning;
    await this.#looking;
  }

  /** Calls `look` now, or again after a running one. Resolves after a `look` that began after this call. */
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

  // A method, because TypeScript would narrow the field and not see that `close` may run during an await.
  #isClosed(): boolean {
    return this.#closed;
  }
}

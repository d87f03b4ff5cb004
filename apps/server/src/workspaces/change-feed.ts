import type { ClientBase, Pool, PoolClient } from 'pg';

/** Between two looks when no notification comes: bounds how stale a process can be when notifications are lost. */
export const pollMs = 2_000;

export interface ChangeFeedOptions {
  readonly pool: Pool;
  /** The channel to LISTEN on. Takes one connection of the pool. */
  readonly channel: string;
  /** Called with that connection, each time that there is a new one. */
  readonly onListening?: (client: ClientBase) => Promise<void>;
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
  #client: PoolClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #turning: Promise<void> | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
  }

  start(): void {
    this.#turning = this.#turn();
  }

  /** Returns when no look is under way any more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#turning;
    await this.#looking;
    this.#drop(undefined);
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
    if (this.#closed) return;
    await this.#listen();
    await this.wake();
    if (!this.#isClosed()) this.#timer = setTimeout(() => this.start(), pollMs);
  }

  // As a method, because TypeScript does not know that `close` may run during an await.
  #isClosed(): boolean {
    return this.#closed;
  }

  async #listen(): Promise<void> {
    if (this.#client !== undefined) return;
    try {
      const client = await this.#options.pool.connect();
      this.#client = client;
      client.on('error', (error) => this.#drop(error));
      client.on('end', () => this.#drop(new Error('the connection ended')));
      client.on('notification', () => void this.wake());
      await client.query(`listen ${this.#options.channel}`);
      await this.#options.onListening?.(client);
    } catch (error) {
      this.#drop(error as Error);
      this.#options.onError(error);
    }
  }

  /** Gives the connection back, closed: one that listens is of no use to others. */
  #drop(error: Error | undefined): void {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    client.removeAllListeners('notification');
    client.release(error ?? true);
  }
}

import type { Pool, PoolClient } from 'pg';
import { decidedChannel, type DecidedNotice, parseDecidedNotice } from '../host/decided-notice.ts';

/** Wait before a lost connection is made again. Whoever waits for decisions looks by itself meanwhile. */
const reconnectMs = 1_000;

/**
 * Hears, on one connection of the pool, how far workspaces are decided, whichever process decides them. The connection
 * is taken when it is first needed, and made again when it is lost.
 */
export class DecidedNotices {
  readonly #pool: Pool;
  readonly #hear: (notice: DecidedNotice) => void;
  #client: PoolClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isConnecting = false;
  #isClosed = false;

  constructor(pool: Pool, hear: (notice: DecidedNotice) => void) {
    this.#pool = pool;
    this.#hear = hear;
  }

  /** Call as often as you like. */
  start(): void {
    if (this.#client === undefined && !this.#isConnecting && !this.#isClosed && this.#timer === undefined) {
      void this.#connect();
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#drop(true);
  }

  async #connect(): Promise<void> {
    this.#isConnecting = true;
    try {
      const client = await this.#pool.connect();
      this.#client = client;
      client.on('error', (error) => this.#lost(client, error));
      client.on('notification', ({ payload = '' }) => {
        const notice = parseDecidedNotice(payload);
        if (notice !== undefined) this.#hear(notice);
      });
      await client.query(`listen ${decidedChannel}`);
      if (this.#isClosed) this.#drop(true);
    } catch (error) {
      // The pool's owner hears of a database that is away; here it only means to try again.
      this.#drop(error as Error);
      this.#retry();
    } finally {
      this.#isConnecting = false;
    }
  }

  #lost(client: PoolClient, error: Error): void {
    if (this.#client !== client) return;
    this.#drop(error);
    this.#retry();
  }

  /** Gives the connection back, closed: one that listens is of no use to others. */
  #drop(reason: Error | true): void {
    const client = this.#client;
    this.#client = undefined;
    client?.removeAllListeners('notification');
    client?.release(reason);
  }

  #retry(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.start();
    }, reconnectMs);
    this.#timer.unref();
  }
}

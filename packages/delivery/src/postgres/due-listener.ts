import type { Pool, PoolClient } from 'pg';
import { dueChannel } from './insert-actions.ts';

/** Wait before a lost connection is made again. Dispatchers look by themselves meanwhile. */
const reconnectMs = 1_000;

/** Listens, on one connection of the pool, for actions that became due, and survives the loss of that connection. */
export class DueListener {
  readonly #pool: Pool;
  readonly #listeners = new Set<(workspaceId: string) => void>();
  #client: PoolClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #connecting = false;
  #closed = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  add(listener: (workspaceId: string) => void): () => void {
    this.#listeners.add(listener);
    void this.#connect();
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
    this.#client?.release(true);
    this.#client = undefined;
  }

  async #connect(): Promise<void> {
    if (this.#connecting || this.#client !== undefined || this.#closed) return;
    this.#connecting = true;
    try {
      const client = await this.#pool.connect();
      client.on('notification', ({ payload }) => {
        for (const listener of this.#listeners) listener(payload ?? '');
      });
      client.on('error', (error: Error) => this.#lost(client, error));
      await client.query(`listen ${dueChannel}`);
      if (this.#closed) client.release(true);
      else this.#client = client;
    } catch {
      // The pool's owner hears of a database that is away; here it only means to try again.
      this.#retry();
    } finally {
      this.#connecting = false;
    }
  }

  #lost(client: PoolClient, error: Error): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.release(error);
    this.#retry();
  }

  #retry(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#connect(), reconnectMs);
    this.#timer.unref();
  }
}

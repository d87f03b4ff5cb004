import { Client, type ClientConfig } from 'pg';
import { endWithDeadPeer, leaveDeadServer } from './dead-peer.ts';

/** Waits between attempts to connect, first and longest. Short, because waiting appends are refused after 1.4 s. */
const reconnectDelayMs = { first: 25, longest: 500 };
/**
 * From the first byte to the end of the last preparing statement: a server that stalls in between is given up as well.
 */
const openMsMax = 2_000;
/** The longest wait for a graceful close. */
const closeMsMax = 1_000;

export interface SessionOptions {
  readonly connection: ClientConfig;
  /** Statements that are run first on every new connection. */
  readonly prepare: readonly string[];
  onUp(client: Client): void;
  /** @param cause why it was lost, if known */
  onDown(cause: unknown): void;
}

/**
 * One connection that is kept open as far as possible.
 *
 *   connecting --> up --> lost --> (wait) --> connecting ...        close() ends it in every state
 */
export class Session {
  readonly #options: SessionOptions;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #delayMs = reconnectDelayMs.first;
  #closed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    void this.#connect();
  }

  /** Closes the connection, whatever runs on it; a new one is opened. */
  drop(): void {
    const client = this.#client;
    if (client !== undefined) this.#lost(client);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await endConnection(client);
  }

  async #connect(): Promise<void> {
    const client = new Client({ ...this.#options.connection, ...leaveDeadServer });
    this.#client = client;
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client));
    const late = setTimeout(() => this.#lost(client), openMsMax);
    try {
      await client.connect();
      for (const statement of [endWithDeadPeer(), ...this.#options.prepare]) await client.query(statement);
    } catch (error) {
      this.#lost(client, error);
      return;
    } finally {
      clearTimeout(late);
    }
    if (this.#client !== client || this.#closed) return;
    this.#delayMs = reconnectDelayMs.first;
    this.#options.onUp(client);
  }

  #lost(client: Client, cause?: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    abandon(client);
    this.#options.onDown(cause);
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#connect(), this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, reconnectDelayMs.longest);
  }
}

/** Closes the connection gracefully, or destroys it when the server does not respond. */
export async function endConnection(client: Client): Promise<void> {
  const cut = setTimeout(() => abandon(client), closeMsMax);
  await client.end().catch(() => {});
  clearTimeout(cut);
}

/** Destroys a connection immediately: a graceful close would wait for what hangs. */
function abandon(client: Client): void {
  client.on('error', () => {});
  const { connection } = client as unknown as { readonly connection: { readonly stream: { destroy(): void } } };
  connection.stream.destroy();
}

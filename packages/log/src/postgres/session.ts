import { Client, type ClientConfig } from 'pg';

/** Between two tries to connect: from the first to the longest. Short, because appends that wait are refused after 1.4 s. */
const reconnectDelayMs = { first: 25, longest: 500 };
/** From the first byte until its last statement was answered: who goes silent in between is given up as well. */
const openMsMax = 2_000;
/** A farewell that takes longer is not waited for. */
const closeMsMax = 1_000;

export interface SessionOptions {
  readonly connection: ClientConfig;
  /** Statements that are run on every new connection, before anything else. */
  readonly prepare: readonly string[];
  onUp(client: Client): void;
  /** @param cause why it was lost, where anything said so */
  onDown(cause: unknown): void;
}

/**
 * One connection that is there whenever it can be.
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

  /** Gives the connection up, whatever runs on it; a new one is made. */
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
    const client = new Client({ ...this.#options.connection, keepAlive: true });
    this.#client = client;
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client));
    const late = setTimeout(() => this.#lost(client), openMsMax);
    try {
      await client.connect();
      for (const statement of this.#options.prepare) await client.query(statement);
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

/** Says farewell to the server, and cuts the connection when it does not answer. */
export async function endConnection(client: Client): Promise<void> {
  const cut = setTimeout(() => abandon(client), closeMsMax);
  await client.end().catch(() => {});
  clearTimeout(cut);
}

/** Cuts a connection at once: a polite end would wait for what hangs. */
function abandon(client: Client): void {
  client.on('error', () => {});
  const { connection } = client as unknown as { readonly connection: { readonly stream: { destroy(): void } } };
  connection.stream.destroy();
}

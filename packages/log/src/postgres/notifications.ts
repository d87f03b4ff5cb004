import type { Client, ClientConfig } from 'pg';
import { Session } from './session.ts';

/** A longer statement means that the connection hangs. */
const queryMsMax = 2_000;

/** Callbacks for one channel. */
export interface Hearing {
  /** Called for every notification. */
  readonly told: (payload: string) => void;
  /**
   * A connection listens, for the first time or after a reconnect: earlier notifications may be lost. May set up state
   * that lives as long as the connection; if it fails, the connection is closed.
   */
  readonly listening?: (client: Client) => Promise<void> | void;
}

/**
 * One shared LISTEN connection per thread. For each notification PostgreSQL wakes every listening connection, whatever
 * its channels are, so one is enough. It is opened for the first listener, and again when it is lost.
 */
export class Notifications {
  readonly #connection: ClientConfig;
  readonly #hearings = new Map<string, Set<Hearing>>();
  #session: Session | undefined;
  #client: Client | undefined;
  /** The end of the last query: they run one after the other. */
  #asked: Promise<unknown> = Promise.resolve();

  constructor(connection: ClientConfig) {
    this.#connection = { ...connection, application_name: 'ringfence listener', query_timeout: queryMsMax };
  }

  /** @param channel a name that needs no quotes. @returns a function that stops listening */
  hear(channel: string, hearing: Hearing): () => void {
    const hearings = this.#hearings.get(channel) ?? new Set();
    this.#hearings.set(channel, hearings.add(hearing));
    if (this.#session === undefined) this.#session = this.#open();
    else void this.#listen(channel, [hearing]);
    return () => hearings.delete(hearing);
  }

  /**
   * Runs a query on the listening connection, and closes the connection if it fails, which detects one that hangs.
   *
   * @returns `undefined` without a connection, or when it was closed
   */
  async ask<Answer>(question: (client: Client) => Promise<Answer>): Promise<Answer | undefined> {
    const client = this.#client;
    const answer = this.#asked.then(async () => {
      if (client === undefined || this.#client !== client) return undefined;
      try {
        return await question(client);
      } catch {
        if (this.#client === client) this.#session?.drop();
        return undefined;
      }
    });
    this.#asked = answer;
    return answer;
  }

  async close(): Promise<void> {
    this.#hearings.clear();
    await this.#session?.close();
  }

  #open(): Session {
    return new Session({
      connection: this.#connection,
      prepare: [],
      onUp: (client) => {
        this.#client = client;
        client.on('notification', ({ channel, payload = '' }) => {
          for (const hearing of this.#hearings.get(channel) ?? []) hearing.told(payload);
        });
        for (const [channel, hearings] of this.#hearings) void this.#listen(channel, [...hearings]);
      },
      onDown: () => {
        this.#client = undefined;
      },
    });
  }

  async #listen(channel: string, hearings: readonly Hearing[]): Promise<void> {
    await this.ask(async (client) => {
      await client.query(`LISTEN ${channel}`);
      for (const hearing of hearings) await hearing.listening?.(client);
    });
  }
}

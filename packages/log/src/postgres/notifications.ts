import type { Client, ClientConfig } from 'pg';
import { Session } from './session.ts';

/** A statement that takes longer says that the connection hangs. */
const queryMsMax = 2_000;

/** What is done with what one channel tells. */
export interface Hearing {
  /** At every notification. */
  readonly told: (payload: string) => void;
  /**
   * A connection listens, the first or one in place of another: what was told before is not known. What lives as long as
   * the connection may be done with it; when that fails, the connection is given up.
   */
  readonly listening?: (client: Client) => Promise<void> | void;
}

/**
 * One connection that listens for everybody in a thread. For each notification PostgreSQL wakes every connection that
 * listens, whatever it listens to: one is enough. It is made when somebody wants to hear, and again when it is lost.
 */
export class Notifications {
  readonly #connection: ClientConfig;
  readonly #hearings = new Map<string, Set<Hearing>>();
  #session: Session | undefined;
  #client: Client | undefined;
  /** The end of what was asked last: one statement after the other. */
  #asked: Promise<unknown> = Promise.resolve();

  constructor(connection: ClientConfig) {
    this.#connection = { ...connection, application_name: 'ringfence listener', query_timeout: queryMsMax };
  }

  /** @param channel a name that needs no quotes. @returns call it to hear no more */
  hear(channel: string, hearing: Hearing): () => void {
    const hearings = this.#hearings.get(channel) ?? new Set();
    this.#hearings.set(channel, hearings.add(hearing));
    if (this.#session === undefined) this.#session = this.#open();
    else void this.#listen(channel, [hearing]);
    return () => hearings.delete(hearing);
  }

  /**
   * Asks on the connection that listens, and gives it up when that fails: so one that hangs is found out.
   *
   * @returns `undefined` when there is no connection, or none any more
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

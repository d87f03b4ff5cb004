import type { Pool } from 'pg';

/** A longer statement is abandoned: who waits for the notice has given up by then. */
const sendMsMax = 1_000;

/** Sends notices to other processes: those that arrive while some are being sent share the next statement. */
export class NoticeQueue {
  readonly #pool: Pick<Pool, 'query'>;
  readonly #channel: string;
  readonly #onError: (error: unknown) => void;
  #waiting: string[] = [];
  #sending: Promise<void> | undefined;

  constructor(pool: Pick<Pool, 'query'>, channel: string, onError: (error: unknown) => void) {
    this.#pool = pool;
    this.#channel = channel;
    this.#onError = onError;
  }

  send(payloads: readonly string[]): void {
    this.#waiting.push(...payloads);
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when everything was sent or has failed. */
  async close(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const query = {
        name: 'notices',
        text: 'select pg_notify($1, p) from unnest($2::text[]) as p',
        values: [this.#channel, this.#waiting],
        query_timeout: sendMsMax,
      };
      this.#waiting = [];
      await this.#pool.query(query).catch(this.#onError);
    }
    this.#sending = undefined;
  }
}

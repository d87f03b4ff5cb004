import type { Pool } from 'pg';

/** Between two announcements: what another process waits for at most, beside their way. */
const betweenMs = 5;
/** One that takes longer is given up: who waits for it looks by itself before long. */
const announceMsMax = 2_000;

/**
 * Tells other processes of what was committed, after it and apart from it: PostgreSQL lets one transaction that notifies
 * commit after the other, each with its way to the disk.
 *
 * News gather while one announcement is on its way, so that many cost few: of one thing, only the newest is told.
 */
export class Announcer {
  readonly #pool: Pool;
  readonly #channel: string;
  #news = new Map<string, string>();
  #flight: Promise<void> | undefined;

  /** @param channel name of the NOTIFY channel */
  constructor(pool: Pool, channel: string) {
    this.#pool = pool;
    this.#channel = channel;
  }

  /** @param payload what listeners are given; takes the place of what waits to be told about the same thing */
  announce(about: string, payload = about): void {
    this.#news.set(about, payload);
    this.#flight ??= this.#fly();
  }

  /** Resolves when what was announced has left, or could not leave. */
  async close(): Promise<void> {
    await this.#flight;
  }

  async #fly(): Promise<void> {
    while (this.#news.size > 0) {
      const payloads = [...this.#news.values()];
      this.#news.clear();
      const query = {
        name: 'announce',
        text: 'SELECT pg_notify($1, p) FROM unnest($2::text[]) AS p',
        values: [this.#channel, payloads],
        query_timeout: announceMsMax,
      };
      await this.#pool.query(query).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, betweenMs));
    }
    this.#flight = undefined;
  }
}

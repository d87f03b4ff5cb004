import type { Pool } from 'pg';

/** The minimum interval between two announcements, and so the longest delay for other processes. */
const betweenMs = 5;
/** A longer announcement is abandoned: listeners also poll. */
const announceMsMax = 2_000;

/**
 * Announces commits to other processes, separately from the commits: PostgreSQL serializes the commits of transactions
 * that notify, each with its own fsync.
 *
 * News are batched while an announcement is under way. Only the newest news about a subject are announced.
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

  /** @param payload what listeners receive; replaces waiting news about the same subject */
  announce(about: string, payload = about): void {
    this.#news.set(about, payload);
    this.#flight ??= this.#fly();
  }

  /** Resolves when all announcements were sent or have failed. */
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

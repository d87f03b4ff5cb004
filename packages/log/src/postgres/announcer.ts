import type { Pool } from 'pg';

/** The minimum interval between two announcements, and so the longest delay for other processes. */
const betweenMs = 5;
/** How long news may wait that are not urgent: half of what the lag of a workspace is stated in. */
const laterMs = 50;
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
  #isUrgent = false;
  #flight: Promise<void> | undefined;
  #later: NodeJS.Timeout | undefined;

  /** @param channel name of the NOTIFY channel */
  constructor(pool: Pool, channel: string) {
    this.#pool = pool;
    this.#channel = channel;
  }

  /** @param payload what listeners receive; replaces waiting news about the same subject */
  announce(about: string, payload = about): void {
    this.#news.set(about, payload);
    this.#isUrgent = true;
    this.#send();
  }

  /** The same for news that others need not have at once: they wait for more, which saves work in the database. */
  announceLater(about: string, payload: string): void {
    this.#news.set(about, payload);
    this.#sendLater();
  }

  /** Resolves when all announcements were sent or have failed. */
  async close(): Promise<void> {
    while (this.#news.size > 0 || this.#flight !== undefined) {
      this.#send();
      await this.#flight;
    }
    clearTimeout(this.#later);
  }

  #send(): void {
    this.#flight ??= this.#fly();
  }

  #sendLater(): void {
    if (this.#flight === undefined) this.#later ??= setTimeout(() => this.#send(), laterMs);
  }

  async #fly(): Promise<void> {
    do {
      clearTimeout(this.#later);
      this.#later = undefined;
      const payloads = [...this.#news.values()];
      this.#news.clear();
      this.#isUrgent = false;
      const query = {
        name: 'announce',
        text: 'SELECT pg_notify($1, p) FROM unnest($2::text[]) AS p',
        values: [this.#channel, payloads],
        query_timeout: announceMsMax,
      };
      await this.#pool.query(query).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, betweenMs));
    } while (this.#isUrgent);
    this.#flight = undefined;
    if (this.#news.size > 0) this.#sendLater();
  }
}

import type { Pool } from 'pg';

/** Between two announcements: what a commit of another process waits for at most, beside its way. */
const betweenMs = 5;
/** One that takes longer is given up: others look for themselves within a second. */
const announceMsMax = 2_000;

/**
 * Tells other processes of commits, after them and apart from them: PostgreSQL lets one transaction that notifies commit
 * after the other, each with its way to the disk.
 *
 * Commits gather while one announcement is on its way, so that many cost few. One that is lost costs a second.
 */
export class Announcer {
  readonly #pool: Pool;
  #grown = new Set<string>();
  #flight: Promise<void> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  announce(partition: string): void {
    this.#grown.add(partition);
    this.#flight ??= this.#fly();
  }

  /** Resolves when what was announced has left, or could not leave. */
  async close(): Promise<void> {
    await this.#flight;
  }

  async #fly(): Promise<void> {
    while (this.#grown.size > 0) {
      const partitions = [...this.#grown];
      this.#grown.clear();
      const query = {
        text: "SELECT pg_notify('ringfence_log', p) FROM unnest($1::text[]) AS p",
        values: [partitions],
        query_timeout: announceMsMax,
      };
      await this.#pool.query(query).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, betweenMs));
    }
    this.#flight = undefined;
  }
}

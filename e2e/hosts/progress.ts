import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';

interface Look {
  readonly atMs: number;
  /** The end of the log: every event before it was accepted. */
  readonly end: number;
}

const lookEveryMs = 100;

/** Watches how far the bank's workspace is accepted and decided, and which host decides it. */
export class Progress {
  readonly #database: Pool;
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>;
  /** Those whose events are not all decided, and the newest. */
  #looks: Look[] = [];
  #position = 0;
  #lagMaxMs = 0;
  #owner: string | undefined;

  constructor(database: Pool) {
    this.#database = database;
    this.#watching = this.#watch();
  }

  /** Address of the host that decides. */
  get owner(): string | undefined {
    return this.#owner;
  }

  get end(): number {
    return this.#looks.at(-1)?.end ?? 0;
  }

  /** All events before this offset are decided. */
  get position(): number {
    return this.#position;
  }

  /** The longest time that an accepted event has waited for its decision, since `forget`, ms. */
  get lagMaxMs(): number {
    return this.#lagMaxMs;
  }

  /** What waits from now on is counted from now on. */
  forget(): void {
    this.#lagMaxMs = 0;
    this.#looks = this.#looks.slice(-1).map(({ end }) => ({ end, atMs: performance.now() }));
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      // While the database does not answer nothing is known.
      await this.#look().catch(() => undefined);
      await sleep(lookEveryMs);
    }
  }

  async #look(): Promise<void> {
    const { rows } = await this.#database.query<{
      readonly end: string;
      readonly position: string;
      readonly owner: string | null;
    }>(
      `SELECT l.end_offset AS end, p.next_offset AS position, host(a.client_addr) AS owner
         FROM workspace w JOIN log_partition l ON l.partition = w.id JOIN engine_position p ON p.workspace_id = w.id
         JOIN partition_owner o ON o.workspace_id = w.id LEFT JOIN pg_stat_activity a ON a.pid = o.backend_pid
        WHERE w.name = 'bank'`,
    );
    const [row] = rows;
    if (row === undefined) return;
    const nowMs = performance.now();
    this.#owner = row.owner ?? undefined;
    this.#position = Number(row.position);
    this.#looks.push({ atMs: nowMs, end: Number(row.end) });
    const waiting = this.#looks.filter(({ end }) => end > this.#position);
    if (waiting.length > 0) this.#lagMaxMs = Math.max(this.#lagMaxMs, nowMs - waiting[0]!.atMs);
    this.#looks = waiting.length > 0 ? waiting : this.#looks.slice(-1);
  }
}

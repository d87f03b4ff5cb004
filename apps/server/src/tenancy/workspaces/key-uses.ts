import type { Pool } from 'pg';

/** How often all uses are written together, instead of at each request: "last used" lags by at most this. */
const writeMs = 30_000;

/**
 * Records when keys were last used, in a map that is written every 30 s. The first use since the last write is written
 * immediately, because someone who tries out a key checks whether it arrived. A crash loses the uses of the last 30 s.
 */
export class KeyUses {
  readonly #pool: Pool;
  #uses = new Map<string, number>();
  /** Keys whose use was written immediately since the last periodic write. */
  #told = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #onError: ((error: unknown) => void) | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  start(onError: (error: unknown) => void): void {
    this.#onError = onError;
    this.#timer = setInterval(() => {
      this.#told.clear();
      this.#writeOrTell();
    }, writeMs);
    this.#timer.unref();
  }

  note(keyId: string, atMs: number): void {
    this.#uses.set(keyId, atMs);
    if (this.#told.has(keyId) || this.#onError === undefined) return;
    this.#told.add(keyId);
    this.#writeOrTell();
  }

  /** Writes the recorded uses. If the write fails they are dropped; later uses are recorded again. */
  async write(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = this.#uses;
    this.#uses = new Map();
    await this.#pool.query(
      `insert into license_key_use as u (key_id, last_used_at)
       select key_id, to_timestamp(ms / 1000.0) from unnest($1::text[], $2::bigint[]) as n (key_id, ms) order by key_id
       on conflict (key_id) do update set last_used_at = greatest(u.last_used_at, excluded.last_used_at)`,
      [[...uses.keys()], [...uses.values()]],
    );
  }

  #writeOrTell(): void {
    this.write().catch((error: unknown) => this.#onError?.(error));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write().catch(() => {
      // The database is unavailable. The uses of the last 30 s are not worth a failed stop.
    });
  }
}

import type { Pool } from 'pg';

/** How far behind "last used" may be of a key that is used all the time: one write of all of them, instead of one per request. */
const writeMs = 30_000;

/**
 * Notes when keys were last used, cheaply: a map in memory, written now and then. The first use after a while is written at
 * once: whoever tries a key looks whether it arrived. Uses of the last 30 s are lost in a crash.
 */
export class KeyUses {
  readonly #pool: Pool;
  #uses = new Map<string, number>();
  /** Those of which a use was written at once since the last write of all. */
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

  /** Writes what is noted. What fails is dropped: a later use is noted again. */
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
      // The database is away already; the uses of the last 30 s are not worth a failed stop.
    });
  }
}

import type { SuppliedEntity } from './checkpoint.ts';
import type { EntitySource, EntityStates } from './entity-states.ts';

/** The stored state of one entity. */
export interface StoredEntity {
  readonly subject: string | undefined;
  readonly bytes: Uint8Array;
  readonly expiresAtMs: number | undefined;
}

/** In-memory implementation of `EntityStates`, for tests. */
export class MemoryEntityStates implements EntityStates {
  readonly #rows = new Map<string, StoredEntity>();

  /** Everything stored, by key. */
  get rows(): ReadonlyMap<string, StoredEntity> {
    return this.#rows;
  }

  isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  load(keys: readonly string[]): readonly SuppliedEntity[] {
    return keys.map((key) => ({ key, bytes: this.#rows.get(key)?.bytes }));
  }

  save(checkpoint: EntitySource): void {
    for (let some = checkpoint.next(Infinity); some.length > 0; some = checkpoint.next(Infinity)) {
      for (const { key, subject, bytes, expiresAtMs } of some) {
        if (bytes === undefined) this.#rows.delete(key);
        else this.#rows.set(key, { subject, bytes, expiresAtMs });
      }
    }
  }

  removeSubjects(subjects: readonly string[]): void {
    this.#remove(({ subject }) => subject !== undefined && subjects.includes(subject));
  }

  removeExpired(logTimeMs: number): void {
    this.#remove(({ expiresAtMs }) => expiresAtMs !== undefined && expiresAtMs <= logTimeMs);
  }

  replaceBy(other: MemoryEntityStates): void {
    const rows = [...other.#rows];
    this.#rows.clear();
    for (const [key, row] of rows) this.#rows.set(key, row);
  }

  #remove(isGone: (row: StoredEntity) => boolean): void {
    for (const [key, row] of this.#rows) if (isGone(row)) this.#rows.delete(key);
  }
}

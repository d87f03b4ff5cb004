import { closeSync, fsyncSync, openSync, writevSync } from 'node:fs';
import type { Checkpoint, SuppliedEntity } from '@ringfence/engine';

/** What a restart begins with. */
export interface StoredCheckpoint {
  readonly offset: number;
  readonly globals: Uint8Array;
}

/**
 * Checkpoints kept as a host keeps them: entities by key in memory, and every checkpoint appended to a file and synced
 * before it counts. Stands for the database, whose cost is not the engine's.
 */
export class StoredState {
  readonly #entities = new Map<string, Uint8Array>();
  readonly #file: number;
  #last: StoredCheckpoint | undefined;
  bytesWritten = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  get last(): StoredCheckpoint | undefined {
    return this.#last;
  }

  get entityCount(): number {
    return this.#entities.size;
  }

  write({ offset, globals, entities }: Checkpoint): void {
    const parts = [globals, ...entities.flatMap(({ bytes }) => bytes ?? [])];
    // One call takes at most 1,024 parts (IOV_MAX of Linux).
    for (let at = 0; at < parts.length; at += 1_024)
      this.bytesWritten += writevSync(this.#file, parts.slice(at, at + 1_024));
    fsyncSync(this.#file);
    for (const { key, bytes } of entities) {
      if (bytes === undefined) this.#entities.delete(key);
      else this.#entities.set(key, bytes);
    }
    this.#last = { offset, globals };
  }

  read(keys: readonly string[]): readonly SuppliedEntity[] {
    return keys.map((key) => ({ key, bytes: this.#entities.get(key) }));
  }

  close(): void {
    closeSync(this.#file);
  }
}

import { closeSync, fsync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CheckpointEntity, SuppliedEntity } from '@ringfence/engine';

/** What a restart begins with. */
export interface StoredCheckpoint {
  readonly offset: number;
  readonly globals: Uint8Array;
}

/** Where bytes stand in a file. */
interface Place {
  readonly position: number;
  readonly size: number;
}

/**
 * Checkpoints kept as a host keeps them, out of the engine's memory: every one is appended to a file and synced before
 * it counts, and entities are read back from there. Stands for the database, whose cost is not the engine's.
 */
export class StoredState {
  /** Where an entity's bytes stand in the file: in a file of its own, out of our memory. */
  readonly #places: DatabaseSync;
  readonly #put;
  readonly #remove;
  readonly #find;
  /** What was written and is not in `#places` yet: a database finds entities at its own cost. */
  #written: (readonly [key: string, place: Place | undefined])[] = [];
  readonly #file: number;
  #last: StoredCheckpoint | undefined;
  bytesWritten = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'w+');
    this.#places = new DatabaseSync(`${path}.places`);
    this.#places.exec('pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive');
    this.#places.exec(
      'create table place (key text primary key, position integer not null, size integer not null) without rowid',
    );
    this.#put = this.#places.prepare('insert or replace into place values (?, ?, ?)');
    this.#remove = this.#places.prepare('delete from place where key = ?');
    this.#find = this.#places.prepare('select position, size from place where key = ?');
  }

  get last(): StoredCheckpoint | undefined {
    return this.#last;
  }

  get entityCount(): number {
    return Number(this.#places.prepare('select count(*) as count from place').get()!['count']);
  }

  /** Appends entities; they count once `sync` was called. */
  write(entities: readonly CheckpointEntity[]): void {
    const parts: Uint8Array[] = [];
    let position = this.bytesWritten;
    for (const { key, bytes } of entities) {
      this.#written.push([key, bytes === undefined ? undefined : { position, size: bytes.length }]);
      if (bytes === undefined) continue;
      position += bytes.length;
      parts.push(bytes);
    }
    // One piece, as a host packs them for its database: a call of the system for so many costs more than they do.
    this.bytesWritten += writeSync(this.#file, Buffer.concat(parts, position - this.bytesWritten));
  }

  sync({ offset, globals }: StoredCheckpoint): void {
    this.bytesWritten += writeSync(this.#file, globals);
    fsyncSync(this.#file);
    this.#last = { offset, globals };
  }

  /** The same, while other work goes on. */
  async finish(checkpoint: StoredCheckpoint): Promise<void> {
    this.bytesWritten += writeSync(this.#file, checkpoint.globals);
    await new Promise<void>((resolve, reject) => {
      fsync(this.#file, (error) => (error === null ? resolve() : reject(error)));
    });
    this.#last = { offset: checkpoint.offset, globals: checkpoint.globals };
  }

  /** Makes what was written since the last call findable. */
  settle(): void {
    this.#places.exec('begin');
    for (const [key, place] of this.#written) {
      if (place === undefined) this.#remove.run(key);
      else this.#put.run(key, place.position, place.size);
    }
    this.#places.exec('commit');
    this.#written = [];
  }

  read(keys: readonly string[]): readonly SuppliedEntity[] {
    return keys.map((key) => {
      const found = this.#find.get(key) as Place | undefined;
      return { key, bytes: found === undefined ? undefined : this.#readAt(found) };
    });
  }

  close(): void {
    closeSync(this.#file);
    this.#places.close();
  }

  #readAt({ position, size }: Place): Uint8Array {
    const bytes = new Uint8Array(size);
    readSync(this.#file, bytes, 0, size, position);
    return bytes;
  }
}

/** A store in a temporary folder, which goes with it. */
export async function withStore<Result>(work: (stored: StoredState) => Result | Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'ringfence-engine-'));
  const stored = new StoredState(join(folder, 'checkpoints'));
  try {
    return await work(stored);
  } finally {
    stored.close();
    await rm(folder, { recursive: true, force: true });
  }
}

import { closeSync, fsync, fsyncSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { assert } from '@ringfence/contract';
import type { CheckpointEntity, SuppliedEntity } from '@ringfence/engine';

/** The stored data that a restart begins with. */
export interface StoredCheckpoint {
  readonly offset: number;
  readonly globals: Uint8Array;
}

/** Bytes after which the journal is overwritten from its start. */
const journalBytes = 64 * 2 ** 20;

/**
 * Stores checkpoints outside the engine's memory, like a host: each is written to a journal and synced before it
 * counts, and entities are read back from a table. Replaces the database, whose cost is not part of the engine's.
 */
export class StoredState {
  /** Entities by their keys. */
  readonly #table: DatabaseSync;
  readonly #put;
  readonly #remove;
  readonly #find;
  /** Entities in the journal that are not in the table yet: a database moves them at its own cost. */
  #written: CheckpointEntity[] = [];
  readonly #journal: number;
  #journalAt = 0;
  #last: StoredCheckpoint | undefined;
  bytesWritten = 0;

  constructor(path: string) {
    this.#journal = openSync(path, 'w');
    // Written once before the measurement: a growing file allocates memory, which costs much more than writing, and a
    // database also reuses its journal.
    writeSync(this.#journal, Buffer.alloc(journalBytes));
    this.#table = new DatabaseSync(`${path}.table`);
    this.#table.exec('pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive');
    this.#table.exec('create table entity (key text primary key, bytes blob not null) without rowid');
    this.#put = this.#table.prepare('insert or replace into entity values (?, ?)');
    this.#remove = this.#table.prepare('delete from entity where key = ?');
    this.#find = this.#table.prepare('select bytes from entity where key = ?');
  }

  get last(): StoredCheckpoint | undefined {
    return this.#last;
  }

  get entityCount(): number {
    return Number(this.#table.prepare('select count(*) as count from entity').get()!['count']);
  }

  /** Writes entities; they are durable after `sync`. */
  write(entities: readonly CheckpointEntity[]): void {
    this.#written.push(...entities);
    // One write for all of them, as the host does: one system call each would cost more than the data.
    this.#append(Buffer.concat(entities.flatMap(({ bytes }) => bytes ?? [])));
  }

  sync({ offset, globals }: StoredCheckpoint): void {
    this.#append(globals);
    fsyncSync(this.#journal);
    this.#last = { offset, globals };
  }

  /** The same, asynchronously. */
  async finish({ offset, globals }: StoredCheckpoint): Promise<void> {
    this.#append(globals);
    await new Promise<void>((resolve, reject) => {
      fsync(this.#journal, (error) => (error === null ? resolve() : reject(error)));
    });
    this.#last = { offset, globals };
  }

  /** Makes the entities written since the last call readable. */
  settle(): void {
    this.#table.exec('begin');
    for (const { key, bytes } of this.#written) {
      if (bytes === undefined) this.#remove.run(key);
      else this.#put.run(key, bytes);
    }
    this.#table.exec('commit');
    this.#written = [];
  }

  read(keys: readonly string[]): readonly SuppliedEntity[] {
    return keys.map((key) => ({ key, bytes: this.#find.get(key)?.['bytes'] as Uint8Array | undefined }));
  }

  close(): void {
    closeSync(this.#journal);
    this.#table.close();
  }

  #append(bytes: Uint8Array): void {
    assert(bytes.length <= journalBytes, 'a single write fits into the journal');
    if (this.#journalAt + bytes.length > journalBytes) this.#journalAt = 0;
    writeSync(this.#journal, bytes, 0, bytes.length, this.#journalAt);
    this.#journalAt += bytes.length;
    this.bytesWritten += bytes.length;
  }
}

/** A store in a temporary folder, which is removed with it. */
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

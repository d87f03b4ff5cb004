import { minuteMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import { type DiskSpace, databaseFolder, diskSpaceOf } from './disk-space.ts';

/** How much room the database takes. */
export interface StorageSize {
  readonly databaseBytes: number;
  /** With indexes; the parts of a table count as that table. */
  readonly tables: ReadonlyMap<string, number>;
  /** Of the embedded database; `undefined`: the disk of another machine. */
  readonly disk: DiskSpace | undefined;
}

/** Every file of the database is looked at, and sizes grow slowly. */
const readEveryMs = minuteMs;

export interface StorageReaderOptions {
  readonly pool: Pool;
  /** Of the embedded database; `undefined`: an external one. */
  readonly home: string | undefined;
  readonly monotonicMs: () => number;
}

/** Reads sizes at most once a minute. */
export class StorageReader {
  readonly #options: StorageReaderOptions;
  #last: { readonly atMs: number; readonly size: StorageSize } | undefined;

  constructor(options: StorageReaderOptions) {
    this.#options = options;
  }

  /** Rejects while the database is away: an old size would not show that it grows. */
  async read(): Promise<StorageSize> {
    const { pool, home, monotonicMs } = this.#options;
    const disk = home === undefined ? undefined : diskSpaceOf(await databaseFolder(home));
    const atMs = monotonicMs();
    if (this.#last !== undefined && atMs - this.#last.atMs < readEveryMs) {
      await pool.query('select 1');
      return { ...this.#last.size, disk };
    }
    const size = { ...(await readSizes(pool)), disk };
    this.#last = { atMs, size };
    return size;
  }
}

/** Parts are named after their table, followed by numbers, whether they are attached to it or not. */
async function readSizes(pool: Pool): Promise<Omit<StorageSize, 'disk'>> {
  const { rows } = await pool.query<{ name: string | null; bytes: number }>(
    `select regexp_replace(relname, '(_[0-9]+)+$', '') as name, sum(pg_total_relation_size(oid))::float8 as bytes
       from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace group by 1
     union all select null, pg_database_size(current_database())::float8`,
  );
  return {
    databaseBytes: rows.find(({ name }) => name === null)!.bytes,
    tables: new Map(rows.flatMap(({ name, bytes }) => (name === null ? [] : [[name, bytes] as const]))),
  };
}

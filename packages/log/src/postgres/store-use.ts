import type { Pool } from 'pg';
import type { RecordStore } from '../record-store.ts';
import type { Adopted, AdoptHook } from './adoption.ts';

/** How a log uses a record store. */
export interface RecordStoreUse {
  readonly store: RecordStore;
  /** Whether new appends go there. Without it, only what is there is read. */
  readonly writes: boolean;
  readonly adopt?: AdoptHook | undefined;
  readonly onAdopted?: ((adopted: Adopted) => void) | undefined;
  /** Called when the log is closed. */
  readonly close?: () => Promise<void>;
}

/** A copy of an append may reach the store this much later than PostgreSQL has stored its bytes. */
const lateMsMax = 600_000;

/** Removes from the store what no partition needs, and notes about appends that can't be met any more. */
export async function sweepStore(pool: Pool, store: RecordStore): Promise<void> {
  const { rows } = await pool.query<{ store_partition: number; needed: string }>('SELECT * FROM log_place_needed()');
  for (const { store_partition: partition, needed } of rows) {
    if (partition < store.partitions) await store.dropBefore(partition, Number(needed));
  }
  await pool.query('DELETE FROM log_noted WHERE at_ms < (SELECT min(floor_at_ms) FROM log_place) - $1::bigint', [
    lateMsMax,
  ]);
}

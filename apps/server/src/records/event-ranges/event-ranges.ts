import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';

/** A range is made this share of a range before it is needed. */
const aheadShare = 1 / 8;
/** The longest wait for readers of a range to be dropped, since others queue behind; it is dropped the next time. */
const dropLockTimeout = '100ms';
/** SQLSTATE: a lock was not available in time. */
const lockNotAvailable = '55P03';

interface Place {
  /** Events are written into it; ranges are made as parts of it. */
  readonly table: 'event' | 'event_ranges';
  /** Of the log's partition. */
  readonly number: number;
  readonly rangeRecords: number;
}

/** The ranges into which one workspace's events are written. */
export class EventRanges {
  readonly #workspaceId: string;
  readonly #made = new Set<number>();
  #place: Place | undefined;

  constructor(workspaceId: string) {
    this.#workspaceId = workspaceId;
  }

  /**
   * Makes the ranges of some offsets, in ascending order, and the next one shortly before it is needed.
   *
   * @returns the table for their rows
   */
  async make(client: ClientBase | Pool, offsets: readonly number[]): Promise<Place['table']> {
    this.#place ??= await placeOf(client, this.#workspaceId);
    const { table, number, rangeRecords } = this.#place;
    const [first, last] = [offsets[0], offsets.at(-1)];
    if (first === undefined || last === undefined) return table;
    const from = Math.floor(first / rangeRecords);
    const to = Math.floor((last + rangeRecords * aheadShare) / rangeRecords);
    for (let range = from; range <= to; range++) {
      if (this.#made.has(range)) continue;
      await client.query(`select event_make_range($1, $2, $3, $4)`, [this.#workspaceId, number, range, rangeRecords]);
      this.#made.add(range);
    }
    return table;
  }

  /** After a failed write: the database may be another one now. */
  forget(): void {
    this.#place = undefined;
    this.#made.clear();
  }
}

async function placeOf(client: ClientBase | Pool, workspaceId: string): Promise<Place> {
  const { rows } = await client.query<Place>(
    `select case when to_regclass('event_ranges') is null then 'event' else 'event_ranges' end as table,
            number, range_records as "rangeRecords" from log_partition where partition = $1`,
    [workspaceId],
  );
  return rows[0]!;
}

/** Whether events of an earlier release wait to be moved into ranges. */
export async function hasEventsBefore(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ has: boolean }>(`select to_regclass('event_before') is not null as has`);
  return rows[0]!.has;
}

/** Drops the ranges whose events are all before an offset. @returns how many events they had */
export async function dropEventRanges(pool: Pool, workspaceId: string, offset: number): Promise<number> {
  const { table, number, rangeRecords } = await placeOf(pool, workspaceId);
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = $1::regclass and c.relname like $2`,
    [table, `event\\_${number}\\_%`],
  );
  const prefix = `event_${number}_`;
  const end = Math.floor(offset / rangeRecords);
  const old = rows.filter(({ name }) => Number(name.slice(prefix.length)) < end);
  let dropped = 0;
  for (const { name } of old) {
    const { rows: counted } = await pool.query<{ events: number }>(`select count(*) as events from "${name}"`);
    if (!(await dropRange(pool, name))) break;
    dropped += counted[0]!.events;
  }
  return dropped;
}

/** @returns false when readers kept it from being dropped */
async function dropRange(pool: Pool, name: string): Promise<boolean> {
  try {
    await inTransaction(pool, (client) =>
      client.query(`set local lock_timeout = '${dropLockTimeout}'; drop table "${name}"`),
    );
    return true;
  } catch (error) {
    if ((error as { readonly code?: string }).code !== lockNotAvailable) throw error;
    return false;
  }
}

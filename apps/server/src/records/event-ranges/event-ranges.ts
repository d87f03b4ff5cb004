import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';

/** A range is made this share of a range before it is needed. */
const aheadShare = 1 / 8;
/** The longest wait for readers of a range to be dropped, since others queue behind; it is dropped the next time. */
const dropLockTimeout = '100ms';
/** SQLSTATE: a lock was not available in time. */
const lockNotAvailable = '55P03';

/** Events are written into it; ranges are made as parts of it. */
type EventTable = 'event' | 'event_ranges';

/** Offsets from `low` to before `high`. */
interface Range {
  readonly low: number;
  readonly high: number;
}

/** The ranges into which one workspace's events are written. */
export class EventRanges {
  readonly #workspaceId: string;
  /** Those that this process has needed lately. */
  #made: Range[] = [];
  #table: EventTable | undefined;

  constructor(workspaceId: string) {
    this.#workspaceId = workspaceId;
  }

  /**
   * Makes the ranges of some offsets, in ascending order, and the next one shortly before it is needed.
   *
   * @returns the table for their rows
   */
  async make(client: ClientBase | Pool, offsets: readonly number[]): Promise<EventTable> {
    this.#table ??= await tableOf(client);
    const [first, last] = [offsets[0], offsets.at(-1)];
    if (first === undefined || last === undefined) return this.#table;
    this.#made = this.#made.filter(({ high }) => high > first);
    let range = await this.#rangeAt(client, first);
    while (range.high <= last + (range.high - range.low) * aheadShare) range = await this.#rangeAt(client, range.high);
    return this.#table;
  }

  /** After a failed write: the database may be another one now. */
  forget(): void {
    this.#table = undefined;
    this.#made = [];
  }

  async #rangeAt(client: ClientBase | Pool, offset: number): Promise<Range> {
    const known = this.#made.find(({ low, high }) => low <= offset && offset < high);
    if (known !== undefined) return known;
    const { rows } = await client.query<Range>(`select low, high from event_make_range_at($1, $2)`, [
      this.#workspaceId,
      offset,
    ]);
    this.#made.push(rows[0]!);
    return rows[0]!;
  }
}

async function tableOf(client: ClientBase | Pool): Promise<EventTable> {
  const { rows } = await client.query<{ table: EventTable }>(
    `select case when to_regclass('event_ranges') is null then 'event' else 'event_ranges' end as table`,
  );
  return rows[0]!.table;
}

/** Whether events of an earlier release wait to be moved into ranges. */
export async function hasEventsBefore(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ has: boolean }>(`select to_regclass('event_before') is not null as has`);
  return rows[0]!.has;
}

/** Drops the ranges whose events are all before an offset. @returns how many events they had */
export async function dropEventRanges(pool: Pool, workspaceId: string, offset: number): Promise<number> {
  const { rows } = await pool.query<{ name: string }>(
    `select r.name from log_partition p, event_ranges_of(p.number) r where p.partition = $1 and r.high <= $2 order by r.low`,
    [workspaceId, offset],
  );
  let dropped = 0;
  for (const { name } of rows) {
    const { rows: counted } = await pool.query<{ events: number }>(`select count(*) as events from "${name}"`);
    if (!(await dropRange(pool, workspaceId, name))) break;
    dropped += counted[0]!.events;
  }
  return dropped;
}

/** @returns false when readers kept it from being dropped */
async function dropRange(pool: Pool, workspaceId: string, name: string): Promise<boolean> {
  try {
    await inTransaction(pool, async (client) => {
      await client.query(`set local lock_timeout = '${dropLockTimeout}'`);
      await client.query(`select event_drop_range($1, $2)`, [workspaceId, name]);
    });
    return true;
  } catch (error) {
    if ((error as { readonly code?: string }).code !== lockNotAvailable) throw error;
    return false;
  }
}

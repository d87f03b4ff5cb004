/**
 * Replaces indexes of large tables while the service reads and writes them. Migrations cannot: they are transactions,
 * and building an index in one blocks all writing until it is done.
 *
 *   obsolete index -> new one built beside it -> obsolete one dropped -> the next change
 *
 * Every step shows in the catalogue, so an interrupted change continues at the next start. PostgreSQL leaves an index
 * whose building was interrupted as invalid; that is dropped and built again.
 */
import type { ClientBase, ClientConfig, Pool } from 'pg';
import type { Logger } from 'pino';
import { sleep } from '../sleep.ts';
import { connectForLongWork } from './database.ts';

/** One obsolete index, and what replaces it. Queries must work with either. */
export interface IndexChange {
  readonly drop: string;
  /** Its replacement, under another name: both exist for a while. */
  readonly create?: { readonly name: string; readonly on: string };
}

/** Until the next attempt, after a failure or while another process works on it: a full disk stays full for a while. */
const againMs = 600_000;

/** As part of a migration: changes the indexes at once if the table is empty, as in a new installation. */
export function changeIfEmpty(table: string, changes: readonly IndexChange[]): string {
  const steps = changes.flatMap(({ drop, create }) => [
    `drop index ${drop};`,
    ...(create === undefined ? [] : [`create index ${create.name} on ${create.on};`]),
  ]);
  return `
do $$ begin
  if not exists (select from ${table}) then
    ${steps.join('\n    ')}
  end if;
end $$;
`;
}

/** Changes that are not complete, in order. */
export async function remainingChanges(
  database: Pick<ClientBase | Pool, 'query'>,
  changes: readonly IndexChange[],
): Promise<readonly IndexChange[]> {
  const names = changes.flatMap(({ drop, create }) => (create === undefined ? [drop] : [drop, create.name]));
  const isValid = await findIndexes(database, names);
  const isMissing = (create: IndexChange['create']): boolean =>
    create !== undefined && isValid.get(create.name) !== true;
  return changes.filter(({ drop, create }) => isValid.has(drop) || isMissing(create));
}

/** Whether each of the existing indexes is valid. */
async function findIndexes(
  database: Pick<ClientBase | Pool, 'query'>,
  names: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const { rows } = (await database.query(
    `select c.relname as name, i.indisvalid as valid from pg_class c join pg_index i on i.indexrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relname = any ($1)`,
    [names],
  )) as { rows: readonly { readonly name: string; readonly valid: boolean }[] };
  return new Map(rows.map(({ name, valid }) => [name, valid]));
}

export interface ChangeIndexes {
  readonly connection: ClientConfig;
  readonly changes: readonly IndexChange[];
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Ends the work at once; the next start continues. */
  readonly stop: AbortSignal;
}

/** Makes all changes, one after the other, in one process at a time. Resolves when none is left, or when stopped. */
export async function changeIndexes(of: ChangeIndexes): Promise<void> {
  const { logger, stop } = of;
  while (!stop.aborted) {
    try {
      if (await changeOnce(of)) return;
    } catch (error) {
      if (stop.aborted) return;
      logger.warn({ err: error }, 'an index could not be changed; will retry in ten minutes');
    }
    await sleep(againMs, stop);
  }
}

/** @returns whether no change is left */
async function changeOnce({ connection, changes, logger, stop }: ChangeIndexes): Promise<boolean> {
  const client = await connectForLongWork(connection);
  const cut = (): void => void client.end().catch(() => {});
  stop.addEventListener('abort', cut, { once: true });
  try {
    if (stop.aborted || (await remainingChanges(client, changes)).length === 0) return true;
    const locked = await client.query<{ locked: boolean }>(
      `select pg_try_advisory_lock(hashtextextended('ringfence.indexes', 0)) as locked`,
    );
    if (locked.rows[0]?.locked !== true) return false;
    const left = await remainingChanges(client, changes);
    logger.info({ indexes: left.length }, 'changing indexes of the database while the service runs');
    // The other cores belong to the service.
    await client.query('set max_parallel_maintenance_workers = 0');
    for (const [place, change] of left.entries()) {
      await make(client, change);
      logger.info({ index: change.create?.name ?? change.drop, left: left.length - place - 1 }, 'changed an index');
    }
    return true;
  } finally {
    stop.removeEventListener('abort', cut);
    await client.end(); // releases the lock
  }
}

async function make(client: ClientBase, { drop, create }: IndexChange): Promise<void> {
  if (create !== undefined) {
    const isValid = (await findIndexes(client, [create.name])).get(create.name);
    if (isValid === false) await client.query(`drop index concurrently ${create.name}`);
    if (isValid !== true) await build(client, create);
  }
  await client.query(`drop index concurrently if exists ${drop}`);
}

/** An index that could not be built is dropped: it would take space, and time of every insertion. */
async function build(client: ClientBase, { name, on }: NonNullable<IndexChange['create']>): Promise<void> {
  try {
    await client.query(`create index concurrently ${name} on ${on}`);
  } catch (error) {
    await client.query(`drop index concurrently if exists ${name}`).catch(() => undefined);
    throw error;
  }
}

/** The log of a workspace: its ranges, which only grow, its keys, and the ranges of its events. */
import { createHash } from 'node:crypto';
import { type BlockRow, blockOfRow, recordsOf, storeWhole } from '@ringfence/log';
import type { Client } from 'pg';
import { dayMs, hourMs } from '@ringfence/contract';
import { copyRows, transaction } from './move-session.ts';
import { type OnCopied, requireEqual, type Sides } from './copy-tables.ts';
import { digestOfRows, literal, name } from './table-shape.ts';

/** A partition's row; numbers as texts, because they are only handed on. */
export interface PartitionHead {
  readonly number: number;
  readonly range_records: string;
  readonly epoch: string;
  readonly life: string;
  readonly start_offset: string;
  readonly end_offset: string;
  readonly log_time_ms: string;
  readonly generation: string;
  readonly closed: boolean;
}

export async function readHead(client: Client, workspaceId: string): Promise<PartitionHead | undefined> {
  const { rows } = await client.query<PartitionHead>(
    `select number, range_records::text, epoch::text, life, start_offset::text, end_offset::text, log_time_ms::text,
            generation::text, closed
       from log_partition where partition = $1`,
    [workspaceId],
  );
  return rows[0];
}

/** Makes the partition in the target, closed. A closed one without ranges was left there by an earlier move. */
export async function makePartition({ source, target }: Sides, workspaceId: string): Promise<number> {
  const there = (await readHead(source, workspaceId))!;
  const { rows } = await target.query<{ number: number }>(
    `insert into log_partition (partition, range_records, epoch, life, closed) values ($1, $2, $3, $4, true)
     on conflict (partition) do update set closed = log_partition.closed returning number`,
    [workspaceId, there.range_records, there.epoch, there.life],
  );
  return rows[0]!.number;
}

/** Writes the source's head over the target's, which stays closed. */
export async function copyHead({ source, target }: Sides, workspaceId: string): Promise<void> {
  const head = (await readHead(source, workspaceId))!;
  await target.query(
    `update log_partition set range_records = $2, epoch = $3, life = $4, start_offset = $5, end_offset = $6,
            log_time_ms = $7, generation = $8 where partition = $1`,
    [
      workspaceId,
      head.range_records,
      head.epoch,
      head.life,
      head.start_offset,
      head.end_offset,
      head.log_time_ms,
      head.generation,
    ],
  );
}

const blocksAtOnce = 2_000;

/**
 * Copies the log up to its end at this moment, from where the target's ends. Blocks never change, and come in the order of
 * their offsets, so all ranges before the target's newest are complete.
 */
export async function copyLog(sides: Sides, workspaceId: string, onCopied: OnCopied): Promise<void> {
  const { source, target } = sides;
  const numbers = await numbersOf(sides, workspaceId);
  const there = await rangesOf(source, 'log', numbers.source);
  const here = await rangesOf(target, 'log', numbers.target);
  const newest = here.at(-1);
  for (const range of newest === undefined ? there : there.slice(Math.max(0, there.indexOf(newest)))) {
    if (!here.includes(range)) await target.query('select log_make_range($1, $2)', [numbers.target, range]);
    const [from, to] = [rangeName('log', numbers.source, range), rangeName('log', numbers.target, range)];
    await copyRange(sides, { workspaceId, from, to }, onCopied);
  }
  await copyKeys(sides, numbers, onCopied);
}

/** Removes from the target what retention removed from the source while no move was running. */
export async function dropRemoved(sides: Sides, workspaceId: string): Promise<void> {
  const { source, target } = sides;
  const numbers = await numbersOf(sides, workspaceId);
  const there = await rangesOf(source, 'log', numbers.source);
  for (const range of await rangesOf(target, 'log', numbers.target)) {
    if (!there.includes(range)) await target.query('select log_drop_range($1, $2)', [numbers.target, range]);
    if (range !== there[0]) continue;
    const from = rangeName('log', numbers.source, range);
    const { rows } = await source.query<{ first: string | null }>(
      `select min(first_offset)::text as first from ${from}`,
    );
    await target.query(`delete from ${rangeName('log', numbers.target, range)} where first_offset < $1`, [
      rows[0]!.first ?? '0',
    ]);
  }
}

async function copyRange(
  { source, target, placed }: Sides,
  { workspaceId, from, to }: { readonly workspaceId: string; readonly from: string; readonly to: string },
  onCopied: OnCopied,
): Promise<void> {
  for (;;) {
    const last = (
      await target.query<{ last: string }>(`select coalesce(max(first_offset), -1)::text as last from ${to}`)
    ).rows[0]!.last;
    const columns = 'first_offset, epoch, log_time_ms, retry_of, frames';
    const select = `select ${columns} from ${from} where first_offset > ${last} order by first_offset limit ${blocksAtOnce}`;
    const copied = await transaction(target, async () => {
      const rows = await copyRows({ source, target }, { select, into: `${to} (${columns})` });
      let next: number | undefined = Number(last) + 1;
      while (next !== undefined)
        next = (await storeWhole(target, placed, { partition: workspaceId, table: to, from: next }))?.next;
      return rows;
    });
    await onCopied(copied);
    if (copied.rows < blocksAtOnce) return;
  }
}

/** Keys are only added, with a log time that never falls; expired ones are left where they are. */
async function copyKeys(
  sides: Sides,
  numbers: { readonly source: number; readonly target: number },
  onCopied: OnCopied,
): Promise<void> {
  const { target } = sides;
  const { rows } = await target.query<{ since: string }>(
    `select coalesce(max(log_time_ms), 0)::text as since from log_idempotency where number = $1`,
    [numbers.target],
  );
  const { since } = rows[0]!;
  await transaction(target, async () => {
    await target.query(`create temporary table move_idempotency (like log_idempotency) on commit drop`);
    const columns = 'number, key, fingerprint, "offset", log_time_ms';
    const select = `select ${numbers.target}, key, fingerprint, "offset", log_time_ms from log_idempotency
                     where number = ${numbers.source} and log_time_ms >= ${since}
                       and log_time_ms > (select p.log_time_ms from log_partition p where p.number = ${numbers.source}) - ${dayMs}`;
    const copied = await copyRows(sides, { select, into: `move_idempotency (${columns})` });
    await target.query(
      `insert into log_idempotency (${columns}) select ${columns} from move_idempotency
       on conflict (number, key) do update
         set fingerprint = excluded.fingerprint, "offset" = excluded."offset", log_time_ms = excluded.log_time_ms`,
    );
    await onCopied(copied);
  });
}

/** Gives the target the same ranges of events as the source has. */
export async function copyEventRanges(sides: Sides, workspaceId: string): Promise<void> {
  const { source, target } = sides;
  const numbers = await numbersOf(sides, workspaceId);
  const there = await rangesOf(source, 'event', numbers.source);
  const here = await rangesOf(target, 'event', numbers.target);
  for (const range of here) {
    if (!there.includes(range)) await target.query(`drop table ${rangeName('event', numbers.target, range)}`);
  }
  for (const range of there) {
    if (here.includes(range)) continue;
    const [low, high] = range.split('_');
    await target.query('select event_make_range($1, $2, $3, $4)', [workspaceId, numbers.target, low, high]);
  }
}

/** Compares the records of both logs up to the target's end, and the keys that still count. */
export async function compareLogs(sides: Sides, workspaceId: string): Promise<void> {
  const { source, target } = sides;
  const numbers = await numbersOf(sides, workspaceId);
  for (const range of await rangesOf(target, 'log', numbers.target)) {
    const to = rangeName('log', numbers.target, range);
    const from = rangeName('log', numbers.source, range);
    const what = `the log, range ${range}`;
    if (await hasPlaced(source, from)) {
      const [there, here] = [
        await digestOfRecords(source, { ...sides, workspaceId, table: from, end: await endOf(target, to) }),
        await digestOfRecords(target, { ...sides, workspaceId, table: to, end: Infinity }),
      ];
      requireEqual(what, there, here);
      continue;
    }
    const last = await target.query<{ last: string }>(
      `select coalesce(max(first_offset), -1)::text as last from ${to}`,
    );
    const upTo = `where t.first_offset <= ${last.rows[0]!.last}`;
    const row = 'row(t.first_offset, t.epoch, t.log_time_ms, t.retry_of, t.frames)';
    const digest = async (client: Client, table: string): Promise<string> =>
      (await client.query<{ digest: string }>(`select ${digestOfRows(row)} from ${table} t ${upTo}`)).rows[0]!.digest;
    requireEqual(what, await digest(source, from), await digest(target, to));
  }
  const { rows } = await target.query<{ last: string; since: string }>(
    `select coalesce(max(log_time_ms), 0)::text as last, (select p.log_time_ms - ${dayMs - hourMs} from log_partition p where p.number = $1)::text as since
       from log_idempotency where number = $1`,
    [numbers.target],
  );
  const { last, since } = rows[0]!;
  const keys = async (client: Client, number: number): Promise<string> =>
    (
      await client.query<{ digest: string }>(
        `select ${digestOfRows('row(t.key, t.fingerprint, t."offset", t.log_time_ms)')} from log_idempotency t
          where t.number = $1 and t.log_time_ms > $2 and t.log_time_ms < $3`,
        [number, since, last],
      )
    ).rows[0]!.digest;
  requireEqual('the idempotency keys', await keys(source, numbers.source), await keys(target, numbers.target));
}

async function hasPlaced(client: Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (select from ${table} where get_byte(frames, 0) = 255) as found`,
  );
  return rows[0]!.found;
}

/** The offset behind the last record of a range whose bytes are in PostgreSQL. */
async function endOf(client: Client, table: string): Promise<number> {
  const { rows } = await client.query<BlockRow>(
    `select first_offset, epoch, log_time_ms, retry_of, frames from ${table} order by first_offset desc limit 1`,
  );
  return rows[0] === undefined ? 0 : recordsOf(blockOfRow(rows[0])).at(-1)!.offset + 1;
}

/** Over the records of a range before `end`, however they are cut into blocks and wherever their bytes are. */
async function digestOfRecords(
  client: Client,
  of: Pick<Sides, 'placed'> & { readonly workspaceId: string; readonly table: string; readonly end: number },
): Promise<string> {
  const hash = createHash('sha256');
  for (let from = 0; ;) {
    const { rows } = await client.query<BlockRow>(
      `select first_offset, epoch, log_time_ms, retry_of, frames from ${of.table}
        where first_offset >= $1 order by first_offset limit 100`,
      [from],
    );
    if (rows.length === 0) return hash.digest('hex');
    const blocks = await of.placed.withFrames(of.workspaceId, rows.map(blockOfRow));
    for (const record of blocks.flatMap(recordsOf)) {
      if (record.offset >= of.end) return hash.digest('hex');
      const { payload, ...rest } = record;
      hash.update(JSON.stringify([rest.offset, rest.epoch, rest.logTimeMs, rest.kind, rest.subject, rest.retryOf]));
      hash.update(payload);
    }
    from = blocks.at(-1)!.firstOffset + 1;
  }
}

/** In the pause: both ends are the same, with all records before them. */
export async function compareEnds({ source, target }: Sides, workspaceId: string): Promise<void> {
  const [there, here] = [(await readHead(source, workspaceId))!, (await readHead(target, workspaceId))!];
  const ends = async (client: Client, head: PartitionHead, blocks: string): Promise<string> => {
    const position = await client.query<{ position: string }>(
      `select concat_ws(' ', next_offset, decided, encode(digest, 'hex')) as position from engine_position where workspace_id = $1`,
      [workspaceId],
    );
    return `end ${head.end_offset}, start ${head.start_offset}, ${blocks}, decided ${position.rows[0]?.position ?? '-'}`;
  };
  const [blocksThere, blocksHere] = (await usesStore(source, there.number))
    ? [`records to ${there.end_offset}`, `records to ${await endOfNewest(target, here)}`]
    : [await newestBlocks(source, there.number), await newestBlocks(target, here.number)];
  requireEqual(
    'the end of the log and the decisions',
    await ends(source, there, blocksThere),
    await ends(target, here, blocksHere),
  );
}

/** Whether some of its records are or were outside PostgreSQL: the target cuts these into other blocks. */
async function usesStore(client: Client, number: number): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (select from log_place where number = $1) as found`,
    [number],
  );
  return rows[0]!.found;
}

/** Earlier ranges were compared before the pause, and nothing is added to them. */
async function newestBlocks(client: Client, number: number): Promise<string> {
  let blocks = 0;
  let newest = '-';
  for (const range of (await rangesOf(client, 'log', number)).slice(-2)) {
    const { rows } = await client.query<{ count: string; last: string | null }>(
      `select count(*)::text as count, max(first_offset)::text as last from ${rangeName('log', number, range)}`,
    );
    blocks += Number(rows[0]!.count);
    newest = rows[0]!.last ?? newest;
  }
  return `${blocks} blocks to ${newest}`;
}

/** A new range may still be empty. */
async function endOfNewest(client: Client, { number, start_offset: start }: PartitionHead): Promise<number> {
  for (const range of (await rangesOf(client, 'log', number)).toReversed()) {
    const end = await endOf(client, rangeName('log', number, range));
    if (end > 0) return end;
  }
  return Number(start);
}

export async function dropRanges(client: Client, number: number): Promise<void> {
  for (const range of await rangesOf(client, 'event', number))
    await client.query(`drop table ${rangeName('event', number, range)}`);
  for (const range of await rangesOf(client, 'log', number))
    await client.query('select log_drop_range($1, $2)', [number, range]);
}

async function numbersOf({ source, target }: Sides, workspaceId: string): Promise<{ source: number; target: number }> {
  return {
    source: (await readHead(source, workspaceId))!.number,
    target: (await readHead(target, workspaceId))!.number,
  };
}

function rangeName(kind: 'log' | 'event', number: number, range: string): string {
  return name(`${kind}_${number}_${range}`);
}

/** The ends of their names, oldest first. */
async function rangesOf(client: Client, kind: 'log' | 'event', number: number): Promise<readonly string[]> {
  const pattern = kind === 'log' ? `^log_${number}_\\d+$` : `^event_${number}_\\d+_\\d+$`;
  const { rows } = await client.query<{ range: string }>(
    `select substr(relname, length(${literal(`${kind}_${number}_`)}) + 1) as range from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname ~ $1
      order by split_part(relname, '_', 3)::bigint`,
    [pattern],
  );
  return rows.map(({ range }) => range);
}

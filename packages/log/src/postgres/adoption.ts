import type { EpochMs } from '@ringfence/contract';
import type { Pool, PoolClient } from 'pg';
import type { AppendMessage, MessageEntry } from '../batch-message.ts';
import { unorderedRecordsMax } from '../bounds.ts';
import { readFrames } from '../entry-frames.ts';
import type { LogEntry, RecordKind } from '../log.ts';
import { type AppendRow, type Growth, makeCall, settle } from './append-batch.ts';
import type { Waiting } from './append-queue.ts';
import { rowsOf } from './rows.ts';
import type { StoreScan } from './store-scan.ts';

/** An entry that the store has, and the log lost with the state of the database before this life. */
export interface Orphan {
  readonly kind: RecordKind;
  readonly subject: string | undefined;
  readonly payload: Buffer;
  readonly idempotency: LogEntry['idempotency'];
  readonly attachment: Buffer | undefined;
}

/**
 * Called in the adoption's transaction for the entries of one append, so that what the database lost beside them is made
 * again. Returns for each entry what is appended: `place` as it is, another entry in its place, or nothing.
 */
export type AdoptHook = (
  transaction: PoolClient,
  partition: string,
  orphans: readonly Orphan[],
) => Promise<readonly ('place' | LogEntry | undefined)[]>;

export interface Adopted {
  readonly partition: string;
  /** Entries that were appended again. */
  readonly entries: number;
  /** Entries that could not be: by another rule of the log, or because of what the database has lost. */
  readonly leftOut: number;
  /** Messages of the store that are damaged. */
  readonly damaged: number;
}

export interface AdoptionContext {
  readonly pool: Pool;
  readonly scan: StoreScan;
  readonly clock: () => EpochMs;
  readonly hook?: AdoptHook | undefined;
  readonly onAdopted?: ((adopted: Adopted) => void) | undefined;
}

/** What the engine can take later than it came: all else are changes by people, who see that they are gone. */
const adoptedKinds: ReadonlySet<RecordKind> = new Set(['login', 'logout', 'operation', 'erase']);

/**
 * Begins the new life of a partition after a restore or a failover of the database: appends again what the store has
 * behind the last place that the log knows, once for each append, and nothing that was refused. One transaction, under
 * the lock of the partition's head; does nothing if another process was faster.
 *
 * @param except ids of appends that are left alone
 * @returns what grew
 */
export async function adopt(
  context: AdoptionContext,
  partition: string,
  except: readonly Buffer[],
): Promise<Growth | undefined> {
  const client = await context.pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const adopted = await adoptLocked({ ...context, client }, partition, except);
    await client.query('COMMIT');
    if (adopted === undefined) return undefined;
    context.onAdopted?.(adopted.told);
    return adopted.grown;
  } catch (error) {
    await client.query('ROLLBACK').catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

interface Locked extends AdoptionContext {
  readonly client: PoolClient;
}

interface Head {
  readonly number: number;
  readonly end: string;
  readonly range_records: string;
  readonly is_new: boolean;
}

async function adoptLocked(
  context: Locked,
  partition: string,
  except: readonly Buffer[],
): Promise<{ readonly told: Adopted; readonly grown: Growth | undefined } | undefined> {
  const { client } = context;
  // Long enough to wait for another adopter.
  await client.query(`SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = '120s'`);
  const { rows } = await client.query<Head>(
    `SELECT number, end_offset AS end, range_records, life <> log_life() AS is_new
       FROM log_partition WHERE partition = $1 FOR UPDATE`,
    [partition],
  );
  const [head] = rows;
  if (head?.is_new !== true) return undefined;
  const nowMs = context.clock();
  await client.query(
    `UPDATE log_partition SET epoch = greatest(epoch + 1, $2::bigint / 1000),
            generation = greatest(generation + 1, $2::bigint), life = log_life() WHERE number = $1`,
    [head.number, nowMs],
  );
  const floors = await client.query<{ store_partition: number; floor: string; floor_end: string }>(
    `SELECT store_partition, floor, floor_end FROM log_place WHERE number = $1 ORDER BY 1`,
    [head.number],
  );
  const known = new Set(except.map((id) => id.toString('hex')));
  const floorEnd = Math.min(...floors.rows.map(({ floor_end }) => Number(floor_end)));
  for (const id of await knownAppends(client, head, floorEnd)) known.add(id);
  const total = { entries: 0, leftOut: 0, damaged: 0 };
  let end = Number(head.end);
  for (const { store_partition: place, floor } of floors.rows) {
    const found = await context.scan.find(partition, { place, from: Number(floor) });
    total.damaged += found.damaged;
    let firstAdopted: number | undefined;
    const unknown = found.appends.filter(({ id }) => !known.has(id));
    for await (const { offset, id, append } of context.scan.read(place, unknown)) {
      if (known.has(id)) continue;
      known.add(id);
      if (append === undefined) {
        total.damaged += 1;
        continue;
      }
      await client.query('INSERT INTO log_noted (append_id, at_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        append.appendId,
        nowMs,
      ]);
      const done = await adoptOne(context, partition, { place, offset, append, refused: found.refused(id), nowMs });
      if (done.entries > 0) firstAdopted ??= offset;
      total.entries += done.entries;
      total.leftOut += done.leftOut;
      end = done.end ?? end;
    }
    if (firstAdopted === undefined) continue;
    await client.query(
      `UPDATE log_place SET adopted_from = CASE WHEN adopted_end = 0 THEN $3 ELSE least(adopted_from, $3) END, adopted_end = $4
        WHERE number = $1 AND store_partition = $2`,
      [head.number, place, firstAdopted, end],
    );
  }
  return { told: { partition, ...total }, grown: end > Number(head.end) ? [partition, end] : undefined };
}

/** The appends that the log has, of places that may be behind the floor, and those that are noted. */
async function knownAppends(client: PoolClient, head: Head, floorEnd: number): Promise<readonly string[]> {
  const known: string[] = [];
  const rangeRecords = Number(head.range_records);
  const first = Math.max(0, floorEnd - unorderedRecordsMax);
  for (let range = Math.floor(first / rangeRecords); range <= Math.floor(Number(head.end) / rangeRecords); range++) {
    const table = `log_${head.number}_${range}`;
    const { rows } = await client.query<{ there: boolean }>(`SELECT to_regclass($1) IS NOT NULL AS there`, [table]);
    if (rows[0]?.there !== true) continue;
    const ids = await client.query<{ id: string }>(
      `SELECT DISTINCT encode(substring(frames FROM 19 FOR 16), 'hex') AS id FROM "${table}"
        WHERE first_offset >= $1 AND get_byte(frames, 0) = 255`,
      [first],
    );
    known.push(...ids.rows.map(({ id }) => id));
  }
  const noted = await client.query<{ id: string }>(`SELECT encode(append_id, 'hex') AS id FROM log_noted`);
  return known.concat(noted.rows.map(({ id }) => id));
}

interface One {
  readonly place: number;
  readonly offset: number;
  readonly append: AppendMessage;
  readonly refused: ReadonlySet<number>;
  readonly nowMs: EpochMs;
}

interface Done {
  readonly entries: number;
  readonly leftOut: number;
  readonly end: number | undefined;
}

async function adoptOne(context: Locked, partition: string, one: One): Promise<Done> {
  const orphans = one.append.entries.flatMap((entry, number) => {
    const orphan = orphanOf(entry);
    return adoptedKinds.has(orphan.kind) && !one.refused.has(number) ? [{ number, orphan }] : [];
  });
  if (orphans.length === 0) return { entries: 0, leftOut: 0, end: undefined };
  const answers =
    (await context.hook?.(
      context.client,
      partition,
      orphans.map(({ orphan }) => orphan),
    )) ?? orphans.map(() => 'place' as const);
  let done: Done = { entries: 0, leftOut: 0, end: undefined };
  const add = async (run: typeof orphans, entries: readonly LogEntry[], isPlaced: boolean): Promise<void> => {
    if (run.length === 0) return;
    const appended = await appendRun(context, partition, {
      one,
      entries,
      numbers: isPlaced ? run.map(({ number }) => number) : undefined,
    });
    done = {
      entries: done.entries + appended.entries,
      leftOut: done.leftOut + run.length - appended.entries,
      end: appended.end ?? done.end,
    };
  };
  // Neighbours that are appended as they are share a call; a key is found by the call after.
  let run: typeof orphans = [];
  const flush = async (): Promise<void> => {
    for (const part of withoutRepeats(run)) {
      await add(
        part,
        part.map(({ orphan }) => entryOf(orphan)),
        true,
      );
    }
    run = [];
  };
  for (const [index, orphan] of orphans.entries()) {
    const answer = answers[index];
    if (answer === 'place') {
      run.push(orphan);
      continue;
    }
    await flush();
    if (answer === undefined) done = { ...done, leftOut: done.leftOut + 1 };
    else await add([orphan], [answer], false);
  }
  await flush();
  return done;
}

/** Parts in which each idempotency key is met once. */
function withoutRepeats<O extends { readonly orphan: Orphan }>(run: readonly O[]): readonly O[][] {
  const parts: O[][] = [];
  let keys = new Set<string>();
  for (const one of run) {
    const key = one.orphan.idempotency && Buffer.from(one.orphan.idempotency.key).toString('hex');
    if (parts.length === 0 || (key !== undefined && keys.has(key))) {
      parts.push([]);
      keys = new Set();
    }
    parts.at(-1)!.push(one);
    if (key !== undefined) keys.add(key);
  }
  return parts;
}

async function appendRun(
  { client }: Locked,
  partition: string,
  {
    one,
    entries,
    numbers,
  }: { readonly one: One; readonly entries: readonly LogEntry[]; readonly numbers: readonly number[] | undefined },
): Promise<{ readonly entries: number; readonly end: number | undefined }> {
  let appended = 0;
  const waiting: Waiting[] = entries.map((entry) => ({
    partition,
    entry,
    generation: undefined,
    sinceMs: 0,
    resolve: () => (appended += 1),
    reject: () => {},
  }));
  const placement =
    numbers === undefined
      ? undefined
      : {
          kind: 'placed' as const,
          partition: one.place,
          offset: one.offset,
          appendId: one.append.appendId,
          numbers,
        };
  // Not through log_append_placed, which would refuse what is noted.
  const { values } = makeCall([{ partition, waiting, placement }], one.nowMs);
  const rows = await rowsOf<AppendRow>(client, { text: plainText, values: values.slice(0, plainParameters) });
  const { grown } = settle({ groups: [{ partition, waiting, placement }], name: '', text: '', values }, rows);
  return { entries: appended, end: grown[0]?.[1] };
}

const plainParameters = 12;
const plainText = 'SELECT * FROM log_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)';

function orphanOf({ frame, idempotency, attachment }: MessageEntry): Orphan {
  const [{ kind, subject, payload }] = readFrames(frame) as [ReturnType<typeof readFrames>[number]];
  return { kind, subject, payload, idempotency, attachment };
}

function entryOf({ kind, subject, payload, idempotency }: Orphan): LogEntry {
  return {
    kind,
    payload,
    ...(subject === undefined ? {} : { subject }),
    ...(idempotency === undefined ? {} : { idempotency }),
  };
}

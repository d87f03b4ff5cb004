import type { PlacedReader } from '@ringfence/log';
import type { Client } from 'pg';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { type Copied, copyRows, transaction } from './move-session.ts';
import { columnList, digestOf, keyCondition, literal, name, rowsOf, type TableShape } from './table-shape.ts';

/** The two databases of a move. */
export interface Sides {
  readonly source: Client;
  readonly target: Client;
  /** Reads what the source's log has in Kafka: the target gets whole bytes. */
  readonly placed: PlacedReader;
}

/** Rows copied in one transaction: a few megabytes, a fraction of a second. */
const batchRows = 5_000;

/** Called for each batch. */
export type OnCopied = (copied: Copied) => Promise<void> | void;

/** Copies a table in batches, after those that an earlier run copied. */
export async function copyTable(sides: Sides, shape: TableShape, onCopied: OnCopied): Promise<void> {
  const { target } = sides;
  const { table, workspaceId } = shape;
  const found = await target.query<{ last: string | null; done: boolean }>(
    `select last::text, done from move_copied where workspace_id = $1 and table_name = $2`,
    [workspaceId, table.name],
  );
  if (found.rows[0]?.done === true) return;
  if (shape.order.length === 0) {
    await transaction(
      target,
      async () => {
        await target.query(deleteAll(shape));
        const copied = await copyRows(sides, {
          select: `select ${columnList(shape, 't.')} ${rowsOf(shape)}`,
          into: into(shape),
        });
        await noteCopied(target, shape, { last: null, done: true, rows: copied.rows });
        await onCopied(copied);
      },
      { isCopy: true },
    );
    return;
  }
  let last = found.rows[0]?.last ?? null;
  let isFirst = found.rows[0] === undefined;
  for (let done = false; !done;) {
    const upper = await upperBound(sides.source, shape, last);
    done = upper === undefined;
    const select = `select ${columnList(shape, 't.')} ${rowsOf(shape)} ${after(shape, last)} ${upTo(shape, upper)}`;
    await transaction(
      target,
      async () => {
        // A process may have counted something for a workspace that was here before, after it had left.
        if (isFirst) await target.query(deleteAll(shape));
        isFirst = false;
        const copied = await copyRows(sides, { select, into: into(shape) });
        last = upper ?? last;
        await noteCopied(target, shape, { last, done, rows: copied.rows });
        await onCopied(copied);
      },
      { isCopy: true },
    );
  }
}

function into(shape: TableShape): string {
  return `${name(shape.table.name)} (${columnList(shape)})`;
}

function orderOf({ order }: TableShape): string {
  return order.map((column) => `t.${name(column.name)}`).join(', ');
}

function bound({ order }: TableShape, values: string): string {
  const parts = (JSON.parse(values) as readonly unknown[]).map(
    (_, i) => `(${literal(values)}::jsonb->>${i})::${order[i]!.type}`,
  );
  return parts.join(', ');
}

function after(shape: TableShape, last: string | null): string {
  return last === null ? '' : `and (${orderOf(shape)}) > (${bound(shape, last)})`;
}

function upTo(shape: TableShape, upper: string | undefined): string {
  return upper === undefined ? '' : `and (${orderOf(shape)}) <= (${bound(shape, upper)})`;
}

/** The last row of a full batch; `undefined` if there are fewer rows. */
async function upperBound(source: Client, shape: TableShape, last: string | null): Promise<string | undefined> {
  const { rows } = await source.query<{ key: string }>(
    `select jsonb_build_array(${orderOf(shape)})::text as key ${rowsOf(shape)} ${after(shape, last)}
      order by ${orderOf(shape)} offset ${batchRows - 1} limit 1`,
  );
  return rows[0]?.key;
}

function deleteAll(shape: TableShape): string {
  const { table } = shape;
  if (table.parent === undefined) return `delete ${rowsOf({ ...shape, table: withoutCondition(table) })}`;
  const on = Object.entries(table.parent.on).map(([own, its]) => `p.${name(its)} = t.${name(own)}`);
  return `delete from ${name(table.name)} t using ${name(table.parent.table)} p
           where ${on.join(' and ')} and p.workspace_id = ${literal(shape.workspaceId)}`;
}

function withoutCondition(table: TableShape['table']): TableShape['table'] {
  const { where: _all, ...rest } = table;
  return rest;
}

async function noteCopied(
  target: Client,
  { table, workspaceId }: TableShape,
  { last, done, rows }: { readonly last: string | null; readonly done: boolean; readonly rows: number },
): Promise<void> {
  await target.query(
    `insert into move_copied as c (workspace_id, table_name, last, done, rows) values ($1, $2, $3, $4, $5)
     on conflict (workspace_id, table_name) do update set last = $3, done = $4, rows = c.rows + $5`,
    [workspaceId, table.name, last, done, rows],
  );
}

/** Keys taken in one transaction of a pass. */
const passKeysMax = 5_000;

/**
 * Copies the rows whose keys were noted, once: rows that change meanwhile are of the next pass. If it is interrupted, the
 * keys are still there.
 *
 * @param isVerified also compares what was written
 * @returns how many keys it took
 */
export async function copyChanges(
  sides: Sides,
  shapes: readonly TableShape[],
  { isVerified, onCopied }: { readonly isVerified: boolean; readonly onCopied: OnCopied },
): Promise<number> {
  const { source } = sides;
  const { rows } = await source.query<{ name: string }>(
    `select distinct table_name as name from move_change where workspace_id = $1`,
    [shapes[0]!.workspaceId],
  );
  const changed = new Set(rows.map((row) => row.name));
  let taken = 0;
  for (const shape of shapes) {
    if (!changed.has(shape.table.name)) continue;
    const followers = shapes.filter(
      ({ table }) => table.followsParent === true && table.parent?.table === shape.table.name,
    );
    for (;;) {
      const keys = await takeKeys(sides, [shape, ...followers], { isVerified, onCopied });
      taken += keys;
      if (keys < passKeysMax) break;
    }
  }
  return taken;
}

/** Rows are looked up one by one, whatever the statistics say: a scan of all events would be far slower. */
const byKey = 'set local enable_hashjoin = off; set local enable_mergejoin = off; set local enable_seqscan = off';

async function takeKeys(
  sides: Sides,
  shapes: readonly TableShape[],
  { isVerified, onCopied }: { readonly isVerified: boolean; readonly onCopied: OnCopied },
): Promise<number> {
  const { source, target } = sides;
  const { table, workspaceId } = shapes[0]!;
  // On one snapshot: what is compared is what was copied.
  return transaction(
    source,
    async () => {
      const { rows } = await source.query<{ keys: string; taken: number }>(
        `with picked as materialized (
           select ctid from move_change where workspace_id = $1 and table_name = $2 limit ${passKeysMax}),
         gone as (delete from move_change where ctid in (select ctid from picked) returning key)
         select count(*)::integer as taken, coalesce(jsonb_agg(distinct key), '[]')::text as keys from gone`,
        [workspaceId, table.name],
      );
      const { keys, taken } = rows[0]!;
      if (taken === 0) return 0;
      await source.query(byKey);
      await transaction(
        target,
        async () => {
          await target.query(byKey);
          for (const shape of shapes) {
            const changed = ` join jsonb_array_elements(${literal(keys)}::jsonb) as m(key) on ${keyCondition(shape)}`;
            const from = rowsOf(shape, changed);
            await target.query(
              `delete from ${name(shape.table.name)} t using jsonb_array_elements($1::jsonb) as m(key) where ${keyCondition(shape)}`,
              [keys],
            );
            const select = `select ${columnList(shape, 't.')} ${from}`;
            await onCopied(await copyRows(sides, { select, into: into(shape) }));
            if (isVerified) await compareKeys(sides, shape, from);
          }
        },
        { isCopy: true },
      );
      return taken;
    },
    { isSnapshot: true },
  );
}

async function compareKeys({ source, target }: Sides, shape: TableShape, from: string): Promise<void> {
  const sql = `select ${digestOf(shape)} ${from}`;
  const there = await source.query<{ digest: string }>(sql);
  const here = await target.query<{ digest: string }>(sql);
  requireEqual(shape.table.name, there.rows[0]!.digest, here.rows[0]!.digest);
}

/** Compares all rows but those whose keys are noted: these are compared when they are copied. */
export async function compareTable(sides: Sides, shape: TableShape): Promise<void> {
  const { source, target } = sides;
  const { table, workspaceId } = shape;
  const noted = table.followsParent === true ? table.parent!.table : table.name;
  const [pending, there] = await transaction(
    source,
    async () => {
      const { rows } = await source.query<{ keys: string }>(
        `select coalesce(jsonb_agg(distinct key), '[]')::text as keys from move_change where workspace_id = $1 and table_name = $2`,
        [workspaceId, noted],
      );
      const found = await source.query<{ digest: string }>(
        `select ${digestOf(shape)} ${rowsOf(shape)} ${notPending(shape)}`,
        [rows[0]!.keys],
      );
      return [rows[0]!.keys, found.rows[0]!.digest];
    },
    { isSnapshot: true },
  );
  const here = await target.query<{ digest: string }>(
    `select ${digestOf(shape)} ${rowsOf(shape)} ${notPending(shape)}`,
    [pending],
  );
  requireEqual(table.name, there, here.rows[0]!.digest);
}

function notPending(shape: TableShape): string {
  return `and not exists (select from jsonb_array_elements($1::jsonb) as m(key) where ${keyCondition(shape)})`;
}

/** @throws OperatorError */
export function requireEqual(what: string, there: string, here: string): void {
  if (there === here) return;
  throw new OperatorError(
    `The copy of ${what} differs from its source: ${there} rows and hash there, ${here} here.`,
    'Nothing was switched. Give the move up with --abort, and start it again.',
  );
}

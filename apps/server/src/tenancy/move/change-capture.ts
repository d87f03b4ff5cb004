/**
 * Triggers that exist only during a move.
 *
 *   in the source   each change of the workspace's rows notes its key. Once `workspace_leaving.closed`, they refuse,
 *                   with an error: nothing was written
 *   in the target   statements over all workspaces skip the rows that are still arriving
 *
 * A writer holds a shared lock until its transaction ends. Closing takes it alone, so after that every change is noted.
 */
import type { Client } from 'pg';
import { withShortLocks } from './move-session.ts';
import { refusedState } from './has-left.ts';
import type { MovedTable } from './moved-tables.ts';
import { keyArray, literal, name, type TableShape } from './table-shape.ts';

const lockKey = (workspaceId: string): string => `hashtextextended(${literal(`ringfence.leaving.${workspaceId}`)}, 0)`;

/** Waits for every transaction that noted a change before `workspace_leaving.closed` was set. */
export const waitForWriters = (workspaceId: string): string => `select pg_advisory_xact_lock(${lockKey(workspaceId)})`;

const triggerName = (number: number, table: string): string => name(`moving_${number}_${table}`);

/** States that a process gives a row when it begins to work on it. */
const begun: Readonly<Record<string, string>> = { action: 'leased', notification: 'leased', backtest: 'running' };

/** Notes changes from now on. May be called again. */
export async function captureChanges(source: Client, shapes: readonly TableShape[], number: number): Promise<void> {
  for (const shape of shapes) {
    if (shape.table.followsParent === true || (await hasTrigger(source, shape, number))) continue;
    await withShortLocks(source, make(shape, number, noteBody(shape)));
  }
}

/** Keeps statements over all workspaces from rows that are arriving. May be called again. */
export async function guardArrivals(target: Client, shapes: readonly TableShape[], number: number): Promise<void> {
  for (const shape of shapes) {
    if (shape.table.isSwept !== true || (await hasTrigger(target, shape, number))) continue;
    await withShortLocks(target, make(shape, number, guardBody(shape)));
  }
}

export async function dropTriggers(client: Client, shapes: readonly TableShape[], number: number): Promise<void> {
  for (const shape of shapes) {
    if (!(await hasTrigger(client, shape, number))) continue;
    const trigger = triggerName(number, shape.table.name);
    await withShortLocks(client, `drop function ${trigger} cascade`);
  }
}

async function hasTrigger(client: Client, { table }: TableShape, number: number): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_proc where proname = $1 and pronamespace = current_schema()::regnamespace`,
    [`moving_${number}_${table.name}`],
  );
  return rows.length > 0;
}

function make({ table, workspaceId }: TableShape, number: number, body: string): string {
  const trigger = triggerName(number, table.name);
  const on = `on ${name(table.name)} for each row`;
  const when = (row: string): string =>
    table.parent === undefined
      ? `when (${row}.${name(table.workspace ?? 'workspace_id')} = ${literal(workspaceId)})`
      : '';
  return `create function ${trigger}() returns trigger language plpgsql as $moving$ ${body} $moving$;
    create trigger ${triggerName(number, table.name)} before insert or update ${on} ${when('new')} execute function ${trigger}();
    create trigger ${name(`moving_${number}_${table.name}_gone`)} before delete ${on} ${when('old')} execute function ${trigger}();`;
}

/** Whether the row belongs to the workspace, as an expression. */
function isOwn({ table: { parent }, workspaceId }: TableShape): string {
  if (parent === undefined) return 'true';
  const on = Object.entries(parent.on).map(([own, its]) => `p.${name(its)} = changed.${name(own)}`);
  return `exists (select from ${name(parent.table)} p where ${on.join(' and ')} and p.workspace_id = ${literal(workspaceId)})`;
}

function noteBody(shape: TableShape): string {
  const { table, workspaceId } = shape;
  const id = literal(workspaceId);
  const note = (row: string): string =>
    `insert into move_change (workspace_id, table_name, key) values (${id}, ${literal(table.name)}, ${keyArray(shape, row)});`;
  const working = begun[table.name];
  return `
declare
  changed record;
  own boolean;
  leaving workspace_leaving;
begin
  if tg_op = 'DELETE' then changed := old; else changed := new; end if;
  own := ${isOwn(shape)};
  -- The parent of a row that is deleted with it is gone already.
  if not own and tg_op <> 'DELETE' then return new; end if;
  perform pg_advisory_xact_lock_shared(${lockKey(workspaceId)});
  select * into leaving from workspace_leaving l where l.workspace_id = ${id};
  if own and leaving.closed then
    ${refusal(table)}
  end if;
  ${working === undefined ? '' : `if leaving.released and tg_op = 'UPDATE' and new.state = '${working}' then return null; end if;`}
  if tg_op <> 'INSERT' then ${note('old')} end if;
  if tg_op = 'DELETE' then return old; end if;
  if tg_op = 'INSERT' or ${keyArray(shape, 'new')} <> ${keyArray(shape, 'old')} then ${note('new')} end if;
  return new;
end`;
}

function refusal({ name: table, whenLeft = 'refused' }: MovedTable): string {
  if (whenLeft === 'skipped') return 'return null;';
  const skipped = whenLeft === 'changes skipped' ? `if tg_op <> 'INSERT' then return null; end if;` : '';
  return `${skipped} raise exception 'the workspace is in another database: % was not changed', '${table}' using errcode = '${refusedState}';`;
}

function guardBody(shape: TableShape): string {
  return `
declare
  changed record;
begin
  if tg_op = 'DELETE' then changed := old; else changed := new; end if;
  if ${isOwn(shape)} and exists
     (select from workspace w where w.id = ${literal(shape.workspaceId)} and w.placement = 'arriving') then
    return null;
  end if;
  return changed;
end`;
}

/** What a move reads and copies beside the tables and the log: the workspace's own row, files of policies, and its checks. */
import type { Client } from 'pg';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { readHead } from './copy-log.ts';
import type { Sides } from './copy-tables.ts';
import type { MoveDatabase } from './move-session.ts';
import { name } from './table-shape.ts';

interface Planned {
  readonly workspace: { readonly id: string; readonly name: string; readonly environment: string };
  readonly from: MoveDatabase;
  readonly to: MoveDatabase;
}

export async function cellNumber(client: Client, database: string): Promise<number> {
  const { rows } = await client.query<{ name: string; number: number }>(`select name, number from cell`);
  const found = rows[0];
  if (found === undefined) {
    throw new OperatorError(
      `The database ${database} was not used by this installation yet.`,
      'Start the service once with it under databases.',
    );
  }
  return found.number;
}

/** @throws OperatorError if another workspace has its name there, or rows of it were left there */
export async function requireFree({ source, target }: Sides, { workspace, from, to }: Planned): Promise<void> {
  const found = await target.query<{ id: string; placement: string }>(
    `select id, placement from workspace where id = $1 or (name = $2 and environment = $3)`,
    [workspace.id, workspace.name, workspace.environment],
  );
  for (const { id, placement } of found.rows) {
    if (id !== workspace.id) {
      throw new OperatorError(
        `${to.name} has another workspace ${workspace.name} (${workspace.environment}).`,
        'Names are unique in an installation. Remove or rename the other one.',
      );
    }
    if (placement === 'left') {
      throw new OperatorError(
        `${to.name} still has rows of ${workspace.name}, of its move from there.`,
        `Drop them first: ringfence workspace move ${workspace.name} --finish`,
      );
    }
  }
  const { rows } = await source.query<{ carried: boolean }>(
    `select to_regclass('event_before') is not null as carried`,
  );
  if (rows[0]!.carried) {
    throw new OperatorError(
      `Events of an earlier release are still being moved within ${from.name}.`,
      'Try again when "ringfence doctor" says that all events are in the tables of this release.',
    );
  }
}

/** About how many rows are copied, for the progress. */
export async function countRows(source: Client, workspaceId: string): Promise<number> {
  const head = (await readHead(source, workspaceId))!;
  let total = 0;
  for (const table of ['event', 'action', 'subject']) {
    const { rows } = await source.query<{ count: number }>(
      `select count(*) as count from ${table} where workspace_id = $1`,
      [workspaceId],
    );
    total += rows[0]!.count;
  }
  const blocks = await source.query<{ count: number }>(
    `select coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint as count from pg_class c where c.relkind = 'r' and c.relname ~ $1`,
    [`^log_${head.number}_\\d+$`],
  );
  return total + blocks.rows[0]!.count;
}

/** The row itself; in the target it is `arriving`. */
export async function copyWorkspaceRow({ source, target }: Sides, workspaceId: string): Promise<void> {
  const { rows } = await source.query<{ columns: string[]; row: string }>(
    `select (select array_agg(attname::text order by attname) from pg_attribute
              where attrelid = 'workspace'::regclass and attnum > 0 and not attisdropped and attname <> 'placement') as columns,
            to_jsonb(w)::text as row from workspace w where id = $1`,
    [workspaceId],
  );
  const { columns, row } = rows[0]!;
  const list = columns.map(name).join(', ');
  await target.query(
    `insert into workspace (${list}, placement)
     select ${list}, 'arriving' from jsonb_populate_record(null::workspace, $1::jsonb)
     on conflict (id) do update set ${columns.map((column) => `${name(column)} = excluded.${name(column)}`).join(', ')}`,
    [row],
  );
}

/** Files of policies, by their hashes: the databases share them. */
export async function copyArtifacts({ source, target }: Sides): Promise<void> {
  const { rows: known } = await target.query<{ hash: string }>(
    `select encode(sha256, 'hex') as hash from policy_artifact`,
  );
  const { rows: missing } = await source.query<{ hash: string }>(
    `select encode(sha256, 'hex') as hash from policy_artifact where not encode(sha256, 'hex') = any ($1)`,
    [known.map(({ hash }) => hash)],
  );
  for (const { hash } of missing) {
    const { rows } = await source.query<{ text: string }>(
      `select text from policy_artifact where sha256 = decode($1, 'hex')`,
      [hash],
    );
    for (const { text } of rows) {
      await target.query(
        `insert into policy_artifact (sha256, text) values (decode($1, 'hex'), $2) on conflict do nothing`,
        [hash, text],
      );
    }
  }
}

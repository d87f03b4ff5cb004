import { createHmac, type KeyObject } from 'node:crypto';
import { bytesArray, int8Array } from '@ringfence/log';
import type { ClientBase, Pool } from 'pg';
import { type ChainRow, linkBytes } from './record-chain.ts';

/** The chain over the records of each workspace, and what the service noticed itself. */
export const chainSchema = `
create table record_chain (
  workspace_id text not null,
  from_offset  bigint not null,
  end_offset   bigint not null check (end_offset > from_offset),
  links        bytea not null,
  mac          bytea not null,
  primary key (workspace_id, from_offset)
);
alter table record_chain alter column links set storage plain;

-- What was changed outside of the service. The next checkpoint covers it, so it is kept here.
create table noticed_change (
  workspace_id text not null,
  "offset"     bigint not null,
  what         text not null,
  noticed_at   timestamptz not null default now(),
  primary key (workspace_id, "offset", what)
);
`;

export interface StoredChainRow extends ChainRow {
  /** Whether its signature is right. */
  readonly isWhole: boolean;
}

export interface ChainOf {
  readonly workspaceId: string;
  readonly key: KeyObject;
}

/** Writes new rows, and those that are longer now. Call within the checkpoint's transaction. */
export async function writeChain(on: ClientBase, of: ChainOf, rows: readonly ChainRow[]): Promise<void> {
  if (rows.length === 0) return;
  await on.query({
    name: 'record_chain_write',
    text: `insert into record_chain (workspace_id, from_offset, end_offset, links, mac)
           select $1, * from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[])
           on conflict (workspace_id, from_offset) do update
             set end_offset = excluded.end_offset, links = excluded.links, mac = excluded.mac`,
    values: [
      of.workspaceId,
      int8Array(rows.map(({ fromOffset }) => fromOffset)),
      int8Array(rows.map(({ endOffset }) => endOffset)),
      bytesArray(rows.map(({ links }) => links)),
      bytesArray(rows.map((row) => macOf(of, row))),
    ],
  });
}

/** All rows, in order. A row has at most 2,048 records. */
export function readChain(on: ClientBase, of: ChainOf): Promise<readonly StoredChainRow[]> {
  return readRows(on, of, 'order by from_offset');
}

export async function readLastRow(on: ClientBase | Pool, of: ChainOf): Promise<StoredChainRow | undefined> {
  return (await readRows(on, of, 'order by from_offset desc limit 1'))[0];
}

/** Removes what reaches beyond an offset: a chain that cannot be continued begins there again. */
export async function cutChain(on: ClientBase, workspaceId: string, offset: number): Promise<void> {
  await on.query(`delete from record_chain where workspace_id = $1 and end_offset > $2`, [workspaceId, offset]);
}

/** Removes rows whose records retention has removed, except the last row. */
export async function removeChain(pool: Pool, workspaceId: string, start: number): Promise<void> {
  await pool.query(
    `delete from record_chain c where workspace_id = $1 and end_offset <= $2
        and exists (select 1 from record_chain l where l.workspace_id = $1 and l.from_offset > c.from_offset)`,
    [workspaceId, start],
  );
}

async function readRows(on: ClientBase | Pool, of: ChainOf, which: string): Promise<readonly StoredChainRow[]> {
  const found = await on.query<{ from_offset: number; end_offset: number; links: Buffer; mac: Buffer }>(
    `select from_offset, end_offset, links, mac from record_chain where workspace_id = $1 ${which}`,
    [of.workspaceId],
  );
  return found.rows.map(({ from_offset: fromOffset, end_offset: endOffset, links, mac }) => {
    const row = { fromOffset, endOffset, links };
    return { ...row, isWhole: links.length >= 2 * linkBytes && macOf(of, row).equals(mac) };
  });
}

function macOf({ workspaceId, key }: ChainOf, { fromOffset, endOffset, links }: ChainRow): Buffer {
  const head = `record chain ${JSON.stringify([workspaceId, fromOffset, endOffset])}`;
  return createHmac('sha256', key).update(head).update(links).digest();
}

import { bytesArray, int4Array, int8Array } from '@ringfence/log';
import type { ClientBase, Pool } from 'pg';
import { decodeFirsts, encodeFirsts, type Segment } from './segment.ts';

/** A pool, or the client of a transaction. */
export type Connection = ClientBase | Pool;

/** `checkpoint`: where the engine resumes; `base`: where replay starts. */
export type StateStore = 'checkpoint' | 'base';

/** The segments of one store of one workspace. */
export interface StoreId {
  readonly workspaceId: string;
  readonly store: StateStore;
}

/**
 * The engine's entities, in segments that are written once. Names are keyed hashes; states are sealed, those of a client
 * under the client's key. Two blocks fill a page.
 */
export const segmentSchema = `
create sequence state_segment_id;

create table state_segment (
  id           bigint primary key,
  workspace_id text not null,
  store        text not null check (store in ('checkpoint', 'base')),
  -- NULL while a merge writes it.
  level        integer,
  age          bigint not null,
  entries      bigint not null,
  -- The first six bytes of the first name in each block.
  firsts       bytea not null,
  filter       bytea not null
);
create index state_segment_store on state_segment (workspace_id, store);
alter table state_segment alter column firsts set storage external, alter column filter set storage external;

create table state_block (
  segment bigint not null,
  block   integer not null,
  bytes   bytea not null,
  primary key (segment, block)
) with (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 1);
alter table state_block alter column bytes set storage external;
`;

/** What binds segments to each other and to their store: `store-seal.ts`. */
export const stateSealSchema = `
alter table state_segment add column tag bytea;

create table state_seal (
  workspace_id text not null,
  store        text not null check (store in ('checkpoint', 'base')),
  next_offset  bigint not null,
  chain_from   bigint not null,
  mac          bytea not null,
  primary key (workspace_id, store)
);
`;

/** Blocks in one statement: a quarter of a megabyte. */
const blocksAtOnce = 64;

/** Newest first. */
export async function readSegments(on: Connection, { workspaceId, store }: StoreId): Promise<Segment[]> {
  const found = await on.query<Omit<Segment, 'firsts' | 'tag'> & { firsts: Buffer; tag: Buffer | null }>({
    name: 'state_segments',
    text: `select id, level, age, entries, firsts, filter, tag from state_segment
            where workspace_id = $1 and store = $2 and level is not null order by age desc`,
    values: [workspaceId, store],
  });
  return found.rows.map(({ firsts, tag, ...row }) => ({ ...row, firsts: decodeFirsts(firsts), tag: tag ?? undefined }));
}

export async function newSegmentId(on: Connection): Promise<number> {
  const found = await on.query<{ id: number }>({
    name: 'state_segment_id',
    text: `select nextval('state_segment_id') as id`,
  });
  return found.rows[0]!.id;
}

/** @param segment without a level while its blocks are still written */
export async function insertSegment(
  on: Connection,
  { workspaceId, store }: StoreId,
  segment: Omit<Segment, 'level'> & { readonly level: number | undefined },
): Promise<void> {
  const { id, level, age, entries, firsts, filter, tag } = segment;
  await on.query({
    name: 'state_segment_insert',
    text: `insert into state_segment (id, workspace_id, store, level, age, entries, firsts, filter, tag)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           on conflict (id) do update set level = $4, entries = $6, firsts = $7, filter = $8, tag = $9`,
    values: [id, workspaceId, store, level, age, entries, encodeFirsts(firsts), filter, tag],
  });
}

/** Names a block of a segment. */
export interface BlockId {
  readonly segment: number;
  readonly block: number;
}

/**
 * @param first the first of them
 * @throws Error if the segment is not there: another process has removed it
 */
export async function insertBlocks(on: Connection, first: BlockId, blocks: readonly Buffer[]): Promise<void> {
  for (let at = 0; at < blocks.length; at += blocksAtOnce) {
    const some = blocks.slice(at, at + blocksAtOnce);
    const inserted = await on.query({
      name: 'state_blocks_insert',
      text: `insert into state_block (segment, block, bytes)
             select s.id, $2 + i - 1, b
               from (select id from state_segment where id = $1 for key share) s,
                    unnest($3::bytea[]) with ordinality as t(b, i)`,
      values: [first.segment, first.block + at, bytesArray(some)],
    });
    if (inserted.rowCount !== some.length) throw new Error('another process removed a segment that is being written');
  }
}

/** Consecutive blocks, beginning with this one; fewer at the end. */
export async function readBlocks(on: Connection, { segment, block }: BlockId): Promise<readonly Buffer[]> {
  const found = await on.query<{ bytes: Buffer }>({
    name: 'state_blocks_read',
    text: `select bytes from state_block where segment = $1 and block >= $2 and block < $2 + ${blocksAtOnce} order by block`,
    values: [segment, block],
  });
  return found.rows.map(({ bytes }) => bytes);
}

/** Blocks in the order of their ids; `undefined` for those that are not visible. */
export async function findBlocks(on: Connection, ids: readonly BlockId[]): Promise<readonly (Buffer | undefined)[]> {
  const found = await on.query<{ i: number; bytes: Buffer }>({
    name: 'state_blocks_find',
    text: `select k.i, b.bytes
             from unnest($1::bigint[], $2::integer[]) with ordinality as k(segment, block, i)
             join state_block b on b.segment = k.segment and b.block = k.block`,
    values: [int8Array(ids.map(({ segment }) => segment)), int4Array(ids.map(({ block }) => block))],
  });
  const blocks: (Buffer | undefined)[] = Array.from({ length: ids.length }, () => undefined);
  for (const { i, bytes } of found.rows) blocks[i - 1] = bytes;
  return blocks;
}

export async function deleteSegments(on: Connection, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await on.query(`delete from state_segment where id = any($1::bigint[])`, [int8Array(ids)]);
  await on.query(`delete from state_block where segment = any($1::bigint[])`, [int8Array(ids)]);
}

/** Removes what a merge had written when its process ended. */
export async function deleteUnfinished(on: Connection, { workspaceId, store }: StoreId): Promise<void> {
  const found = await on.query<{ id: number }>(
    `select id from state_segment where workspace_id = $1 and store = $2 and level is null`,
    [workspaceId, store],
  );
  await deleteSegments(
    on,
    found.rows.map(({ id }) => id),
  );
}

/** Copies all segments of one store to another of the same workspace. */
export async function copySegments(on: Connection, from: StoreId, to: StoreId): Promise<void> {
  const found = await on.query<{ id: number; copy: number }>(
    `select id, nextval('state_segment_id') as copy from state_segment
      where workspace_id = $1 and store = $2 and level is not null`,
    [from.workspaceId, from.store],
  );
  const values = [int8Array(found.rows.map(({ id }) => id)), int8Array(found.rows.map(({ copy }) => copy))];
  await on.query(
    `insert into state_segment (id, workspace_id, store, level, age, entries, firsts, filter, tag)
     select k.copy, workspace_id, $3, level, age, entries, firsts, filter, tag
       from unnest($1::bigint[], $2::bigint[]) as k(id, copy) join state_segment s on s.id = k.id`,
    [...values, to.store],
  );
  await on.query(
    `insert into state_block (segment, block, bytes)
     select k.copy, block, bytes
       from unnest($1::bigint[], $2::bigint[]) as k(id, copy) join state_block b on b.segment = k.id`,
    values,
  );
}

/** Those of the clients that were erased. */
export async function erasedAmong(
  on: Connection,
  workspaceId: string,
  subjects: readonly string[],
): Promise<readonly string[]> {
  if (subjects.length === 0) return [];
  const found = await on.query<{ subject: string }>({
    name: 'state_erased',
    text: `select subject from unnest($2::text[]) as k(subject)
            where not exists (select 1 from subject s where s.workspace_id = $1 and s.id = k.subject)`,
    values: [workspaceId, subjects],
  });
  return found.rows.map(({ subject }) => subject);
}

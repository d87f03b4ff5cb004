import { createHmac, type KeyObject } from 'node:crypto';
import type { Segment } from './segment.ts';
import type { Connection, StoreId } from './segment-rows.ts';

/** What a store reflects when it is sealed. */
export interface SealedAt {
  /** The offset behind the last record that the states reflect. */
  readonly nextOffset: number;
  /** The first record of the chain of records (`../chain/record-chain.ts`); 0 in the base. */
  readonly chainFrom: number;
}

/** What is in a store. */
interface Stored {
  readonly segments: readonly Segment[];
  /** Whether rows of an earlier release are left, which are not sealed. */
  readonly hasRows: boolean;
}

type SealedStore = StoreId & { readonly key: KeyObject };

/**
 * The seal of a store: HMAC-SHA-256 of its offset and of all its segments with their tags. So a segment of an earlier
 * time, a missing one and one too many are noticed, and so are rows that were put beside the segments.
 */
function macOf({ workspaceId, store, key }: SealedStore, { nextOffset, chainFrom, ...stored }: SealedAt & Stored) {
  const segments = stored.segments.map(({ id, level, age, entries, tag }) => [id, level, age, entries, hexOf(tag)]);
  const text = JSON.stringify([workspaceId, store, nextOffset, chainFrom, stored.hasRows, segments]);
  return createHmac('sha256', key).update(`state seal ${text}`).digest();
}

export async function writeSeal(on: Connection, of: SealedStore, sealed: SealedAt & Stored): Promise<void> {
  const { nextOffset, chainFrom } = sealed;
  await on.query({
    name: 'state_seal_write',
    text: `insert into state_seal (workspace_id, store, next_offset, chain_from, mac) values ($1, $2, $3, $4, $5)
           on conflict (workspace_id, store) do update set next_offset = $3, chain_from = $4, mac = $5`,
    values: [of.workspaceId, of.store, nextOffset, chainFrom, macOf(of, sealed)],
  });
}

/** `undefined` if there is none. */
export async function readSeal(
  on: Connection,
  of: SealedStore,
  stored: Stored,
): Promise<(SealedAt & { readonly isWhole: boolean }) | undefined> {
  const found = await on.query<{ next_offset: number; chain_from: number; mac: Buffer }>(
    `select next_offset, chain_from, mac from state_seal where workspace_id = $1 and store = $2`,
    [of.workspaceId, of.store],
  );
  const row = found.rows[0];
  if (row === undefined) return undefined;
  const at = { nextOffset: row.next_offset, chainFrom: row.chain_from };
  return { ...at, isWhole: macOf(of, { ...at, ...stored }).equals(row.mac) };
}

function hexOf(tag: Buffer | undefined): string {
  return tag?.toString('hex') ?? '';
}

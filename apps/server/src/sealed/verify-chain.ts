import type { EventLog, LogRecord } from '@ringfence/log';
import type { ClientBase } from 'pg';
import { readBase } from '../decide/base-rows.ts';
import { readChain, type StoredChainRow } from '../decide/chain/chain-rows.ts';
import { readChanges } from '../decide/chain/noticed-changes.ts';
import { groupRecords, linkAfter, linkBytes } from '../decide/chain/record-chain.ts';
import { PostgresEntityStates } from '../decide/entity-states/postgres-entity-states.ts';
import { changedSegments } from '../decide/entity-states/stored-segments.ts';
import { inSnapshot } from '../platform/database/transactions.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { readUndamaged } from './read-undamaged.ts';
import type { SealedDeps } from './sealed-values.ts';

/** Something that is not as the service wrote it. */
export interface Difference {
  readonly kind: string;
  readonly row: string;
}

/** How far the records of a workspace are chained; `undefined` before the first checkpoint with a chain. */
export interface ChainExtent {
  readonly from: number;
  readonly end: number;
  /** The last link, hexadecimal: kept elsewhere, it shows that a later chain continues this one. */
  readonly link: string;
}

export interface ChainVerdict {
  readonly chain: ChainExtent | undefined;
  readonly differences: readonly Difference[];
}

/** Recomputes the chain over the kept records, and the seals of the stored states. */
export async function verifyChain({ pool, log }: SealedDeps, workspace: Workspace): Promise<ChainVerdict> {
  const stored = await inSnapshot(pool, (client) => readStored(client, workspace));
  const { rows, seal, differences } = stored;
  const { start, end } = await log.head(workspace.id);
  const add = (kind: string, row: string): unknown => differences.push({ kind, row });
  if (start > stored.baseOffset) add('log_partition', `its records from ${stored.baseOffset} to ${start - 1} are gone`);
  if (seal === undefined && rows.length > 0) add('state_seal (checkpoint)', 'it is gone');
  if (seal === undefined) return { chain: undefined, differences };
  const last = rows.at(-1);
  const chainEnd = last?.endOffset ?? seal.chainFrom;
  if (chainEnd !== seal.nextOffset) add('record_chain', `it ends at ${chainEnd}, not at ${seal.nextOffset}`);
  if (seal.nextOffset > end) add('log_partition', `its records from ${end} to ${seal.nextOffset - 1} are gone`);
  for (const gap of gapsIn(rows, { from: Math.max(start, seal.chainFrom), chainFrom: seal.chainFrom })) {
    add('record_chain', `its part from ${gap.from} to ${gap.to - 1} is gone`);
  }
  for (const row of rows) {
    if (row.isWhole) differences.push(...(await recordsThatDiffer(log, workspace.id, row)));
    else add('record_chain', `${row.fromOffset} to ${row.endOffset - 1}`);
  }
  const link = (last?.links.subarray(-linkBytes) ?? Buffer.alloc(0)).toString('hex');
  return { chain: { from: seal.chainFrom, end: chainEnd, link }, differences };
}

/** What is read in one snapshot, and what differs in it. */
async function readStored(client: ClientBase, workspace: Workspace) {
  const differences: Difference[] = [];
  const add = (kind: string, row: string): unknown => differences.push({ kind, row });
  const checkpoint = await client.query<{ next_offset: number }>(
    `select next_offset from checkpoint where workspace_id = $1`,
    [workspace.id],
  );
  const base = await readBase(client, workspace.id);
  const offsets = { checkpoint: checkpoint.rows[0]?.next_offset, base: base?.nextOffset };
  const states = statesOf(workspace);
  const seals = { checkpoint: await states.checkpoint.readSeal(client), base: await states.base.readSeal(client) };
  for (const store of ['checkpoint', 'base'] as const) {
    const [seal, offset] = [seals[store], offsets[store]];
    const isGone = seal === undefined && offset !== undefined && seals.checkpoint?.chainFrom === 0;
    if (isGone) add(`state_seal (${store})`, 'it is gone');
    if (seal !== undefined && (!seal.isWhole || seal.nextOffset !== offset)) {
      add(`state of the ${store}`, `as of ${offset ?? 'no record'}: it is not the one that was written last`);
    }
    for (const id of await changedSegments(client, workspace, store)) add(`state_segment (${store})`, String(id));
  }
  for (const { what, offset, at } of await readChanges(client, workspace.id)) {
    add(what, `as of ${offset}, noticed by the service at ${at.toISOString()}`);
  }
  const rows = await readChain(client, states.checkpoint.chainOf);
  return { rows, seal: seals.checkpoint, baseOffset: base?.nextOffset ?? 0, differences };
}

function statesOf(workspace: Workspace): Record<'checkpoint' | 'base', PostgresEntityStates> {
  const noKeys = { bySubject: () => Promise.resolve(new Map<string, Buffer>()) };
  return {
    checkpoint: new PostgresEntityStates(workspace, 'checkpoint', noKeys),
    base: new PostgresEntityStates(workspace, 'base', noKeys),
  };
}

/** Parts of the kept records that no row covers. Where the chain began again, none needs to. */
function* gapsIn(
  rows: readonly StoredChainRow[],
  { from, chainFrom }: { readonly from: number; readonly chainFrom: number },
): Generator<{ readonly from: number; readonly to: number }> {
  let next = from;
  let link: Buffer | undefined;
  for (const row of rows) {
    if (row.endOffset <= from) continue;
    if (row.fromOffset > next) yield { from: next, to: row.fromOffset };
    else if (
      row.fromOffset === next &&
      row.fromOffset !== chainFrom &&
      link?.equals(row.links.subarray(0, linkBytes)) === false
    )
      yield { from: next, to: next + 1 };
    next = row.endOffset;
    link = row.links.subarray(-linkBytes);
  }
}

/** Each group of kept records that does not lead from the link before it to the one behind it. */
async function recordsThatDiffer(
  log: Pick<EventLog, 'read' | 'head'>,
  workspaceId: string,
  row: StoredChainRow,
): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  const offsets = { from: row.fromOffset, end: row.endOffset };
  const records = await readUndamaged(log, workspaceId, offsets);
  const { start } = await log.head(workspaceId);
  for (let place = 0; row.fromOffset + place * groupRecords < row.endOffset; place++) {
    const from = row.fromOffset + place * groupRecords;
    const end = Math.min(from + groupRecords, row.endOffset);
    if (from < start) continue;
    const group: readonly LogRecord[] = records.filter(({ offset }) => offset >= from && offset < end);
    const before = row.links.subarray(place * linkBytes, (place + 1) * linkBytes);
    const behind = row.links.subarray((place + 1) * linkBytes, (place + 2) * linkBytes);
    if (linkAfter(before, group).equals(behind)) continue;
    differences.push({ kind: 'records', row: `${from} to ${end - 1}` });
  }
  return differences;
}

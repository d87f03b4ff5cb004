import { Problem } from '@ringfence/contract';
import { liveListBounds, type PolicyList, readItem, rulesReading } from '@ringfence/policy';
import { nearest } from '@ringfence/policy/nearest';
import type { Pool } from 'pg';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { activePolicy } from './active-policy.ts';
import {
  countItems,
  type ItemCounts,
  type ItemDeps,
  itemIndex,
  itemsByRef,
  readItems,
  type StoredItem,
} from './list-item-rows.ts';

/** A list, with the number of its live items (in addition to those in the policy's files). */
export interface ListSummary extends PolicyList {
  readonly items: number;
  /** Reasons of the rules that use it. */
  readonly rules: readonly number[];
  /** The newest change of its items. */
  readonly changed: Pick<ItemCounts, 'changedAtMs' | 'changedBy'> | undefined;
}

/** All lists of the active policy. */
export async function listLists(pool: Pool, workspace: Workspace, nowMs: number): Promise<readonly ListSummary[]> {
  const policy = await activePolicy(pool, workspace);
  if (policy === undefined) return [];
  const counts = await countItems(pool, workspace.id, nowMs);
  return policy.lists.map((list) => {
    const counted = counts.get(list.name);
    return { ...list, items: counted?.items ?? 0, rules: rulesReading(policy, list.name), changed: counted };
  });
}

export type LiveList = PolicyList & { readonly max: number };

/** A list that can be changed. @throws Problem `thing.unknown`, `state.conflict` */
export async function findLiveList(pool: Pool, workspace: Workspace, name: string): Promise<LiveList> {
  const lists = (await activePolicy(pool, workspace))?.lists ?? [];
  const list = lists.find((one) => one.name === name);
  if (list === undefined) throw unknownList(workspace, name, lists);
  if (list.live === undefined) {
    throw new Problem(
      'state.conflict',
      `The list ${name} is not live: its items are in the policy's files, without "live: true".`,
    );
  }
  return { ...list, max: list.live.max };
}

function unknownList(workspace: Workspace, name: string, lists: readonly PolicyList[]): Problem {
  const names = lists.map((one) => one.name);
  const near = nearest(name, names);
  const there = names.length === 0 ? 'It has no lists.' : `It has: ${names.join(', ')}.`;
  const hint = near === undefined ? there : `Did you mean "${near}"?`;
  return new Problem('thing.unknown', `The policy of ${workspace.name} has no list ${name}. ${hint}`);
}

/** All items that are on a list, newest first. @throws Problem `thing.unknown`, `state.conflict` */
export async function listItems(
  deps: ItemDeps,
  workspace: Workspace,
  { list, nowMs }: { readonly list: string; readonly nowMs: number },
): Promise<readonly StoredItem[]> {
  await findLiveList(deps.pool, workspace, list);
  return readItems(deps, workspace, { list, nowMs, state: 'present', limit: liveListBounds.itemsMax });
}

/** An item that is on a list now, or `undefined`. @throws Problem `thing.unknown`, `state.conflict` */
export async function findItem(
  deps: ItemDeps,
  workspace: Workspace,
  { list: name, parts, nowMs }: { readonly list: string; readonly parts: readonly string[]; readonly nowMs: number },
): Promise<StoredItem | undefined> {
  const list = await findLiveList(deps.pool, workspace, name);
  const read = readItem(list, parts);
  if (!read.ok) return undefined;
  const ref = itemIndex(workspace, read.text).toString('base64url');
  const item = (await itemsByRef(deps, workspace, { list: name, refs: [ref], nowMs })).get(ref);
  return item?.state === 'present' ? item : undefined;
}

import { Problem } from '@ringfence/contract';
import { liveListBounds, type Policy, type PolicyList, rulesReading } from '@ringfence/policy';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { checkPolicy, readPolicyFiles } from '../workspaces/policy-store.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import { countItems, type ItemCounts, type ItemDeps, readItems, type StoredItem } from './list-item-rows.ts';

/** A live list, with how many items it has beside those of the policy's files. */
export interface ListSummary extends PolicyList {
  readonly items: number;
  /** Reasons of the rules that ask it. */
  readonly rules: readonly number[];
  /** The newest change of its items. */
  readonly changed: Pick<ItemCounts, 'changedAtMs' | 'changedBy'> | undefined;
}

/** All lists of the policy that decides, by name. */
export async function listLists(pool: Pool, workspace: Workspace, nowMs: number): Promise<readonly ListSummary[]> {
  const policy = await activePolicy(pool, workspace);
  if (policy === undefined) return [];
  const counts = await countItems(pool, workspace.id, nowMs);
  return policy.lists.map((list) => {
    const counted = counts.get(list.name);
    return { ...list, items: counted?.items ?? 0, rules: rulesReading(policy, list.name), changed: counted };
  });
}

/** Compiling takes a hundred milliseconds, in which nobody else is answered; a version never changes. */
const compiled = new LRUCache<string, Policy>({ max: 16 });

async function activePolicy(pool: Pool, { id, policyVersion }: Workspace): Promise<Policy | undefined> {
  if (policyVersion === undefined) return undefined;
  const key = `${id}.${policyVersion}`;
  const kept = compiled.get(key);
  if (kept !== undefined) return kept;
  const { policy } = checkPolicy(await readPolicyFiles(pool, id, policyVersion));
  compiled.set(key, policy);
  return policy;
}

export type LiveList = PolicyList & { readonly max: number };

/** A list that can be changed. @throws Problem `thing.unknown`, `state.conflict` */
export async function findLiveList(pool: Pool, workspace: Workspace, name: string): Promise<LiveList> {
  const list = (await activePolicy(pool, workspace))?.lists.find((one) => one.name === name);
  if (list === undefined) throw new Problem('thing.unknown', `The policy of ${workspace.name} has no list ${name}.`);
  if (list.live === undefined) {
    throw new Problem('state.conflict', `What ${name} holds stands in the policy's files: it does not say live: true.`);
  }
  return { ...list, max: list.live.max };
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

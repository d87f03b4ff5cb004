import type { ListChange } from '@ringfence/engine';
import { liveListBounds, pairText, type Policy } from '@ringfence/policy';
import { type ItemDeps, readItems } from '../../policies/directives/list-item-rows.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** The contents of live lists before the first record, for a source that does not contain them. */
export interface PresentLists {
  readonly changes: readonly ListChange[];
  /** For the result; `undefined` if no policy has a live list. */
  readonly note: string | undefined;
}

/**
 * The present contents of the tested policies' live lists. Expiries of items are of today and do not apply to the
 * history: an item on a list now is on it all the time.
 *
 * @param beforeMs for a source that continues to today: only items that were added before
 */
export async function presentLists(
  deps: ItemDeps,
  workspace: Workspace,
  of: { readonly policies: readonly Policy[]; readonly nowMs: number; readonly beforeMs?: number },
): Promise<PresentLists> {
  const { policies, nowMs, beforeMs = Infinity } = of;
  const lists = policies.flatMap((policy) => policy.lists.filter(({ live }) => live !== undefined));
  const names = [...new Set(lists.map(({ name }) => name))].toSorted();
  const changes: ListChange[] = [];
  for (const list of names) {
    const items = await readItems(deps, workspace, { list, nowMs, state: 'present', limit: liveListBounds.itemsMax });
    const put = items
      .filter(({ addedAtMs }) => addedAtMs < beforeMs)
      .map(({ parts }) => ({ item: parts.length === 1 ? parts[0]! : pairText(parts) }));
    changes.push({ list, put, remove: [] });
  }
  return { changes, note: names.length === 0 ? undefined : noteOf(changes, beforeMs) };
}

function noteOf(changes: readonly ListChange[], beforeMs: number): string {
  const counted = changes.map(({ list, put }) => `${list} (${put.length === 1 ? '1 item' : `${put.length} items`})`);
  const since =
    beforeMs === Infinity
      ? 'with their present items, from the first event on'
      : 'with the present items that were added before the first event; items removed since are not included';
  return `Live lists start ${since}: ${counted.join(', ')}.`;
}

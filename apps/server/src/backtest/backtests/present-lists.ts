import type { ListChange } from '@ringfence/engine';
import { liveListBounds, pairText, type Policy } from '@ringfence/policy';
import { type ItemDeps, readItems } from '../../policies/directives/list-item-rows.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** What live lists hold before the first record of a source that does not say it. */
export interface PresentLists {
  readonly changes: readonly ListChange[];
  /** For the result; `undefined` where no policy has a live list. */
  readonly note: string | undefined;
}

/**
 * The live lists of the policies that are tried, as they are now. Ends of items are of today and not of the history: what is
 * on a list now is on it all the time.
 *
 * @param beforeMs of a source that goes on to today: only items that were added before
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
      ? 'as they are now, from the first event on'
      : 'with what is on them now and was added before the first event; what was taken off since is not known';
  return `Live lists begin ${since}: ${counted.join(', ')}.`;
}

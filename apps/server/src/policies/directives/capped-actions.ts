import { type ActionFilter, type ChangedAction, dropActions, releaseActions } from '@ringfence/delivery';
import { syncSettings } from '../../tenancy/workspaces/settings-sync.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { WorkspaceDeps } from '../../tenancy/workspaces/workspace-deps.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type Author, type Directive, storeDirectives } from './directives.ts';

/** The most actions of a filter that one transaction changes, to keep it short. */
const batchMax = 200;

/**
 * Releases or drops capped actions (state `held`), and appends the change, with author and comment, to the log. If two
 * people decide about the same action concurrently, the first one wins: the other changes nothing.
 *
 * @returns the number of changed actions; at most 200 for a filter, so callers repeat it until it returns 0
 */
export async function decideCapped(
  deps: WorkspaceDeps,
  workspace: Workspace,
  wanted: Author & {
    readonly change: 'release' | 'drop';
    readonly of: { readonly ids: readonly string[] } | { readonly filter: ActionFilter };
    readonly nowMs: number;
  },
): Promise<number> {
  const { change, of, nowMs, author, comment } = wanted;
  const changeActions = change === 'release' ? releaseActions : dropActions;
  const held =
    'filter' in of
      ? { selection: { filter: { ...of.filter, states: ['held'] as const } }, limit: batchMax }
      : { selection: { workspaceId: workspace.id, ids: of.ids } };
  const changed = await inTransaction(deps.pool, async (client) => {
    const actions = await changeActions(client, held, nowMs);
    await storeDirectives(client, workspace, { directives: directivesOf(actions, change), author, comment });
    return actions.length;
  });
  if (changed > 0) await syncSettings(deps, workspace.id);
  return changed;
}

/** One directive per client, because the engine keeps capped actions in the client's state. */
function directivesOf(changed: readonly ChangedAction[], change: 'release' | 'drop'): readonly Directive[] {
  const bySubject = Map.groupBy(changed, ({ subject }) => subject);
  return [...bySubject].map(([subject, actions]) => ({
    kind: 'held',
    subject,
    told: { change, actions: actions.map(({ offset, reason, position }) => ({ offset, reason, position })) },
  }));
}

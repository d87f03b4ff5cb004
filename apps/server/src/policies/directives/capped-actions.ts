import { type ActionFilter, type ChangedAction, dropActions, releaseActions } from '@ringfence/delivery';
import { agree } from '../../tenancy/workspaces/settings-sync.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { WorkspaceDeps } from '../../tenancy/workspaces/workspace-deps.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type Author, type Directive, storeDirectives } from './directives.ts';

/** Actions of a filter that are changed together, so that many are not one long transaction. */
const batchMax = 200;

/**
 * Lets held actions go, or ends them unsent; each is a record of the log, with who and why. Of two people who decide about one
 * action at once, the first one does: the other changes nothing, and the engine is told of the first alone.
 *
 * @returns how many; at most 200 of a filter, so that callers repeat it until it answers 0
 */
export async function decideHeld(
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
  if (changed > 0) await agree(deps, workspace.id);
  return changed;
}

/** One for each client: the engine keeps what it awaits with the client. */
function directivesOf(changed: readonly ChangedAction[], change: 'release' | 'drop'): readonly Directive[] {
  const bySubject = Map.groupBy(changed, ({ subject }) => subject);
  return [...bySubject].map(([subject, actions]) => ({
    kind: 'held',
    subject,
    told: { change, actions: actions.map(({ offset, reason, position }) => ({ offset, reason, position })) },
  }));
}

import {
  type ActionFilter,
  type Deliveries,
  dropActions,
  releaseActions,
  type StoredAction,
} from '@ringfence/delivery';
import { agree } from '../workspaces/log-agreement.ts';
import { inTransaction } from '../database/transactions.ts';
import type { WorkspaceDeps } from '../workspaces/workspace-deps.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import { type Author, type Directive, storeDirectives } from './directives.ts';

/** Actions that are changed together, so that many are not one long transaction. */
const batchMax = 200;

export interface HeldDeps extends WorkspaceDeps {
  readonly deliveries: Pick<Deliveries, 'list' | 'find'>;
}

/**
 * Lets held actions go, or ends them unsent; each is a record of the log, with who and why.
 *
 * @returns how many; at most 200 of a filter, so that callers repeat it until it answers 0
 */
export async function decideHeld(
  deps: HeldDeps,
  workspace: Workspace,
  wanted: Author & {
    readonly change: 'release' | 'drop';
    readonly of: { readonly ids: readonly string[] } | { readonly filter: ActionFilter };
    readonly nowMs: number;
  },
): Promise<number> {
  const { change, of, nowMs, author, comment } = wanted;
  const held = (await found(deps, workspace, of)).filter(({ state }) => state === 'held');
  if (held.length === 0) return 0;
  const selection = { workspaceId: workspace.id, ids: held.map(({ id }) => id) };
  const changeActions = change === 'release' ? releaseActions : dropActions;
  const changed = await inTransaction(deps.pool, async (client) => {
    await storeDirectives(client, workspace, { directives: directivesOf(held, change), author, comment });
    return changeActions(client, selection, nowMs);
  });
  await agree(deps, workspace.id);
  return changed;
}

async function found(
  { deliveries }: HeldDeps,
  { id }: Workspace,
  of: { readonly ids: readonly string[] } | { readonly filter: ActionFilter },
): Promise<readonly StoredAction[]> {
  if ('filter' in of) return deliveries.list({ ...of.filter, states: ['held'] }, batchMax);
  const all = await Promise.all(of.ids.map((action) => deliveries.find(id, action)));
  return all.filter((action) => action !== undefined);
}

/** One for each client: the engine keeps what it awaits with the client. */
function directivesOf(held: readonly StoredAction[], change: 'release' | 'drop'): readonly Directive[] {
  const bySubject = Map.groupBy(held, ({ subject }) => subject);
  return [...bySubject].map(([subject, actions]) => ({
    kind: 'held',
    subject,
    told: { change, actions: actions.map(({ offset, reason, position }) => ({ offset, reason, position })) },
  }));
}

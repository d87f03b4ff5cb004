import { assert } from '@ringfence/contract';
import {
  type ChangedAction,
  type Deliveries,
  dropActions,
  type Redeliverable,
  redeliverable,
  redeliverableAgain,
  redeliveredByDefault,
  releaseActions,
  type Selection,
} from '@ringfence/delivery';
import { syncSettings } from '../../tenancy/workspaces/settings-sync.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { WorkspaceDeps } from '../../tenancy/workspaces/workspace-deps.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type Directive, storeDirectives } from './directives.ts';

/** The most actions of a filter that one transaction changes, to keep it short. */
const batchMax = 200;

/** What a person can do about actions. */
export type ActionChange = 'redeliver' | 'release' | 'drop';

interface WantedActions<Change extends ActionChange = ActionChange> {
  readonly change: Change;
  readonly of: Selection;
  /** Redeliver executed actions too. Of a filter, only those that finished before `nowMs`. */
  readonly again?: boolean;
  readonly author: string;
  readonly nowMs: number;
}

/**
 * Redelivers actions, or releases or drops capped ones. Actions that are named by id are redelivered from every state
 * that allows it, those of a filter only from its states, by default `redeliveredByDefault`.
 *
 * @returns the number of changed actions; bounded for a filter, so callers repeat it until it returns 0
 */
export function changeActions(
  deps: WorkspaceDeps & { readonly deliveries: Pick<Deliveries, 'redeliver'> },
  workspace: Workspace,
  wanted: WantedActions,
): Promise<number> {
  const { change, of, again = false, nowMs } = wanted;
  if (change !== 'redeliver') return decideCapped(deps, workspace, { ...wanted, change });
  if ('ids' in of) return deps.deliveries.redeliver(of, nowMs, again ? redeliverableAgain : redeliverable);
  const given = of.filter.states as readonly Redeliverable[] | undefined;
  const states = given ?? (again ? [...redeliveredByDefault, 'executed'] : redeliveredByDefault);
  if (!states.includes('executed')) return deps.deliveries.redeliver(of, nowMs, states);
  assert(again, 'executed actions are sent again only for a person who says so');
  // Those that are sent now will have finished later, so repeating the call ends.
  const filter = { finishedToMs: nowMs, ...of.filter };
  return deps.deliveries.redeliver({ filter }, nowMs, states);
}

/**
 * Releases or drops capped actions (state `held`), and appends the change, with its author, to the log. If two people
 * decide about the same action concurrently, the first one wins: the other changes nothing.
 */
async function decideCapped(
  deps: WorkspaceDeps,
  workspace: Workspace,
  { change, of, author, nowMs }: WantedActions<'release' | 'drop'>,
): Promise<number> {
  const decide = change === 'release' ? releaseActions : dropActions;
  const held =
    'filter' in of
      ? { selection: { filter: { ...of.filter, states: ['held'] as const } }, limit: batchMax }
      : { selection: { workspaceId: workspace.id, ids: of.ids } };
  const changed = await inTransaction(deps.pool, async (client) => {
    const actions = await decide(client, held, nowMs);
    await storeDirectives(client, workspace, { directives: directivesOf(actions, change), author, comment: '' });
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

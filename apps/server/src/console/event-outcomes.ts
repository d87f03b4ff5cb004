import type { Label } from '@ringfence/engine';
import { type ActionState, type ShownState, shownState } from '@ringfence/delivery';
import type { Pool } from 'pg';
import { lastLabelsQuery } from './labels/stored-labels.ts';

/** What followed an event: the requested actions, and its label. */
export interface EventOutcome {
  readonly actions: { readonly id: string; readonly action: number; readonly state: ShownState }[];
  label: Label | undefined;
}

/** For a page of events, by offset; without events that have neither. Two index look-ups. */
export async function outcomesOf(
  pool: Pool,
  workspaceId: string,
  offsets: readonly number[],
): Promise<ReadonlyMap<number, EventOutcome>> {
  const [actions, labels] = await Promise.all([
    pool.query<{ id: string; offset: number; action: number; state: ActionState }>(
      `select id, "offset"::float8 as "offset", action::float8 as action, state from action
        where workspace_id = $1 and "offset" = any($2) order by seq`,
      [workspaceId, offsets],
    ),
    pool.query<{ offset: number; label: Label }>(lastLabelsQuery('workspace_id = $1 and "offset" = any($2)'), [
      workspaceId,
      offsets,
    ]),
  ]);
  const outcomes = new Map<number, EventOutcome>();
  const outcome = (offset: number): EventOutcome => {
    const found = outcomes.get(offset) ?? { actions: [], label: undefined };
    outcomes.set(offset, found);
    return found;
  };
  for (const { offset, ...action } of actions.rows)
    outcome(offset).actions.push({ ...action, state: shownState(action.state) });
  for (const { offset, label } of labels.rows) outcome(offset).label = label;
  return outcomes;
}

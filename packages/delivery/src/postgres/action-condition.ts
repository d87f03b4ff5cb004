import type { ActionFilter, Selection } from '../deliveries.ts';

/** A piece of SQL over the table `a`, with the values of its parameters. */
export interface Condition {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What a selection means, as SQL whose first parameter is `$first`. Values never become text. */
export function selectionCondition(selection: Selection, first: number): Condition {
  if ('filter' in selection) return filterCondition(selection.filter, first);
  return {
    text: `a.workspace_id = $${first} and a.id = any ($${first + 1}::text[])`,
    values: [selection.workspaceId, selection.ids],
  };
}

export function filterCondition(filter: ActionFilter, first: number): Condition {
  const parts: readonly (readonly [(parameter: string) => string, unknown])[] = [
    [(p) => `a.workspace_id = ${p}`, filter.workspaceId],
    [(p) => `a.state = any (${p}::text[])`, filter.states],
    [(p) => `a.subject = ${p}`, filter.subject],
    [(p) => `a.session_index = ${p}`, filter.sessionIndex],
    [(p) => `a."offset" = ${p}`, filter.offset],
    [(p) => `a.reason = ${p}`, filter.reason],
    [(p) => `a.decided_at >= to_timestamp(${p}::float8 / 1000.0)`, filter.fromMs],
    [(p) => `a.decided_at < to_timestamp(${p}::float8 / 1000.0)`, filter.toMs],
  ];
  const given = parts.filter(([, value]) => value !== undefined);
  return {
    text: given.map(([print], index) => print(`$${first + index}`)).join(' and '),
    values: given.map(([, value]) => value),
  };
}

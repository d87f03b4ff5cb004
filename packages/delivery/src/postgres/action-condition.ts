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
    [(p) => `${timeOf(p)} <= a.decided_at and a.seq >= ${sequenceAt(first, `${timeOf(p)} - ${slack}`)}`, filter.fromMs],
    [(p) => `a.decided_at < ${timeOf(p)} and a.seq < ${sequenceAt(first, `${timeOf(p)} + ${slack}`)}`, filter.toMs],
  ];
  const given = parts.filter(([, value]) => value !== undefined);
  return {
    text: given.map(([print], index) => print(`$${first + index}`)).join(' and '),
    values: given.map(([, value]) => value),
  };
}

/** The times of actions do not fall from one to the next, as they are those of the log. So much is left to be wrong in. */
const slack = `interval '1 minute'`;

function timeOf(parameter: string): string {
  return `to_timestamp(${parameter}::float8 / 1000.0)`;
}

/**
 * The number of the first action of an instant or after it, by the index over times; beyond all numbers when there is none.
 * Lists walk the numbers: bounded by them, a time long ago is not looked for through all that came after it, and a list
 * that begins at a time not through all that was before.
 */
function sequenceAt(workspaceParameter: number, time: string): string {
  return `coalesce((select e.seq from action e where e.workspace_id = $${workspaceParameter} and e.decided_at >= ${time}
                     order by e.decided_at limit 1), 9223372036854775807)`;
}

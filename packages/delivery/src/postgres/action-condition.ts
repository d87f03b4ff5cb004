import type { ActionFilter, Selection } from '../deliveries.ts';

/** A piece of SQL over the table `a`, with the values of its parameters. */
export interface Condition {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The SQL condition of a selection; its first parameter is `$first`. Values are always parameters, never text. */
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
    [(p) => `a.finished_at >= ${timeOf(p)}`, filter.finishedFromMs],
    [(p) => `a.finished_at < ${timeOf(p)}`, filter.finishedToMs],
  ];
  const given = parts.filter(([, value]) => value !== undefined);
  return {
    text: given.map(([print], index) => print(`$${first + index}`)).join(' and '),
    values: given.map(([, value]) => value),
  };
}

/** The decision times of actions are log times and not strictly ordered by `seq`. This is the tolerance. */
const slack = `interval '1 minute'`;

function timeOf(parameter: string): string {
  return `to_timestamp(${parameter}::float8 / 1000.0)`;
}

/**
 * The sequence number of the first action at or after an instant, found through the index over times; larger than all
 * numbers when there is none. Lists scan by sequence number. These bounds keep a list of a time long ago from scanning
 * everything newer, and a list with a start from scanning everything older.
 */
function sequenceAt(workspaceParameter: number, time: string): string {
  return `coalesce((select e.seq from action e where e.workspace_id = $${workspaceParameter} and e.decided_at >= ${time}
                     order by e.decided_at limit 1), 9223372036854775807)`;
}

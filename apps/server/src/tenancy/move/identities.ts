import type { ClientBase } from 'pg';
import { literal } from './table-shape.ts';

/** Numbers of rows that must be unique over all databases, because they are no part of a key with the workspace. */
const uniqueOverAll: Readonly<Record<string, readonly [table: string, column: string]>> = {
  erasure_id_seq: ['erasure', 'id'],
  refused_request_id_seq: ['refused_request', 'id'],
  history_segment_id_seq: ['history_segment', 'id'],
  backtest_id_seq: ['backtest', 'id'],
  notification_source_id_seq: ['notification_source', 'id'],
  state_segment_id: ['state_segment', 'id'],
};

/** Numbers that only grow within a workspace. */
const growing: Readonly<Record<string, readonly [table: string, column: string]>> = {
  action_seq_seq: ['action', 'seq'],
  alert_seq_seq: ['alert', 'seq'],
  alert_comment_seq_seq: ['alert_comment', 'seq'],
  client_note_seq_seq: ['client_note', 'seq'],
  console_live_seq_seq: ['console_live', 'seq'],
  directive_id_seq: ['directive', 'id'],
  hold_decision_id_seq: ['hold_decision', 'id'],
  hold_seq_seq: ['hold', 'seq'],
  list_item_id_seq: ['list_item', 'id'],
  notification_destination_seq_seq: ['notification_destination', 'seq'],
  notification_seq_seq: ['notification', 'seq'],
  outcome_report_seq_seq: ['outcome_report', 'seq'],
  policy_activation_seq_seq: ['policy_activation', 'seq'],
  policy_request_seq_seq: ['policy_request', 'seq'],
};

/** Databases of one installation. An integer identity then has room for eight million rows. */
const cellsMax = 256;

const spreadOne = ([sequence, [table, column]]: readonly [string, readonly [string, string]]): string => `
  alter sequence ${sequence} cache 1; -- no other session takes a number until the transaction ends
  select s.last_value, greatest(s.last_value, coalesce((select max(t.${column}) from ${table} t), 0)), q.seqincrement
    into last, highest, step from ${sequence} s, pg_sequence q where q.seqrelid = '${sequence}'::regclass;
  if step <> ${cellsMax} or last % ${cellsMax} <> cell or highest > last then
    execute format('alter sequence ${sequence} increment by ${cellsMax} restart with %s',
                   highest + 1 + ((cell - (highest + 1)) % ${cellsMax} + ${cellsMax}) % ${cellsMax});
  end if;`;

/**
 * Gives every database numbers of its own: database n only makes those that leave the rest n when divided by 256. So a
 * moved row meets no other one, and later rows of its workspace have higher numbers, wherever it goes. Called for the
 * home database when the first further one is claimed, for each further one when it is claimed, and after rows came.
 */
export const spreadFunction = `
create function spread_identities(cell integer) returns void language plpgsql as $spread$
declare
  last bigint;
  highest bigint;
  step bigint;
begin
  if cell not between 0 and ${cellsMax - 1} then raise exception 'an installation has at most ${cellsMax} databases'; end if;
${Object.entries(uniqueOverAll).map(spreadOne).join('')}
end
$spread$;
do $do$ begin
  execute format('alter function spread_identities(integer) security definer set search_path = %I, pg_temp', current_schema());
end $do$;
revoke execute on function spread_identities(integer) from public;
`;

/** After rows came: new ones get higher numbers. In the caller's transaction. */
export async function raiseIdentities(
  client: ClientBase,
  { cell, workspaceId }: { readonly cell: number; readonly workspaceId: string },
): Promise<void> {
  const raised = Object.entries(growing).map(
    ([sequence, [table, column]]) => `
  alter sequence ${sequence} cache 1; -- no other session takes a number until the transaction ends
  select coalesce(max(t.${column}), 0) into highest from ${table} t where t.workspace_id = ${literal(workspaceId)};
  select s.last_value into last from ${sequence} s;
  if highest >= last then execute format('alter sequence ${sequence} restart with %s', highest + 1); end if;`,
  );
  await client.query(
    `select spread_identities(${cell}); do $raise$ declare highest bigint; last bigint; begin ${raised.join('')} end $raise$`,
  );
}

/**
 * Every table, classified: what belongs to a workspace moves with it, the rest stays. A test compares both lists with
 * `stored-objects.json`. The tables of log ranges and of event ranges follow from the partition's number: `copy-log.ts`.
 */

/** What happens in the source to a change of a row of a workspace that has left. */
type WhenLeft = 'refused' | 'skipped' | 'changes skipped';

export interface MovedTable {
  readonly name: string;
  /** Columns that name a row, or some rows that are copied together. Default: the primary key. */
  readonly key?: readonly string[];
  /** Columns by whose order the rows are copied in batches. Default: the key. `[]`: all at once, because they are few. */
  readonly order?: readonly string[];
  /** The column with the workspace's id. Default: `workspace_id`. */
  readonly workspace?: string;
  /** Rows without such a column belong to a row of another table. */
  readonly parent?: { readonly table: string; readonly on: Readonly<Record<string, string>> };
  /** Rows that do not move are left out; `t` names the table, `p` its parent. */
  readonly where?: string;
  /** Changed together with the parent, whose changes tell it. */
  readonly followsParent?: true;
  /**
   * Default: refused, with an error that tells the writer. Statements over all workspaces skip these rows instead, so
   * that they go on for the others; `changes skipped` still refuses new rows.
   */
  readonly whenLeft?: WhenLeft;
  /** Statements over all workspaces also skip the rows while they arrive in the target. */
  readonly isSwept?: true;
}

const swept = { isSwept: true, whenLeft: 'skipped' } as const;
const sweptChanges = { isSwept: true, whenLeft: 'changes skipped' } as const;

/** Each table after those that it references. */
export const movedTables: readonly MovedTable[] = [
  { name: 'workspace_secret' },
  { name: 'license_key' },
  {
    name: 'license_key_use',
    parent: { table: 'license_key', on: { key_id: 'id' } },
    whenLeft: 'skipped',
  },
  { name: 'channel' },
  { name: 'channel_seen' },
  { name: 'policy_version' },
  { name: 'policy_activation' },
  { name: 'policy_request' },
  { name: 'policy_start' },
  { name: 'subject' },
  { name: 'erasure' },
  { name: 'directive' },
  { name: 'list_item' },
  { name: 'suppression' },
  { name: 'event', key: ['workspace_id', 'offset'] },
  { name: 'action', order: ['seq'], ...sweptChanges },
  { name: 'attempt', parent: { table: 'action', on: { action_id: 'id' } }, whenLeft: 'skipped' },
  { name: 'endpoint', whenLeft: 'skipped' },
  // Another scope is the whole database.
  { name: 'delivery_pause', workspace: 'scope' },
  { name: 'hold', order: ['seq'] },
  { name: 'hold_member' },
  { name: 'hold_decision' },
  { name: 'label' },
  { name: 'event_report' },
  { name: 'outcome_report', order: ['seq'], ...sweptChanges },
  { name: 'alert' },
  { name: 'alert_event' },
  { name: 'alert_comment' },
  { name: 'alert_suppression' },
  { name: 'alert_view' },
  { name: 'event_view' },
  { name: 'client_note' },
  { name: 'console_action', key: ['workspace_id', 'at'], order: [], ...swept },
  { name: 'console_bank' },
  { name: 'console_count' },
  { name: 'console_live', ...sweptChanges },
  { name: 'console_position' },
  { name: 'console_seen', key: ['workspace_id', 'offset'], order: [] },
  { name: 'console_waiting' },
  { name: 'console_warning' },
  { name: 'notification_destination' },
  {
    name: 'notification_endpoint',
    parent: { table: 'notification_destination', on: { destination: 'id' } },
    ...swept,
  },
  { name: 'notification_condition', ...swept },
  { name: 'notification', ...swept },
  { name: 'notification_item', parent: { table: 'notification', on: { notification_id: 'id' } }, ...swept },
  { name: 'notification_source', ...swept },
  { name: 'refused_request', order: ['id'], ...swept },
  { name: 'refused_count', ...swept },
  { name: 'history_segment' },
  { name: 'history_block', parent: { table: 'history_segment', on: { segment_id: 'id' } } },
  // One may run at a time in a database; those of this workspace end before the switch.
  { name: 'backtest', where: `t.state <> 'running'`, ...sweptChanges },
  {
    name: 'backtest_example',
    key: ['backtest_id'],
    order: ['backtest_id', 'place'],
    parent: { table: 'backtest', on: { backtest_id: 'id' } },
    where: `p.state <> 'running'`,
    followsParent: true,
  },
  { name: 'partition_owner' },
  { name: 'engine_position' },
  { name: 'engine_pause' },
  { name: 'checkpoint' },
  { name: 'entity_state' },
  { name: 'base_entity' },
  { name: 'log_base' },
  { name: 'decision_mark', ...swept },
  { name: 'irreproducible_range' },
  { name: 'new_life' },
  { name: 'noticed_change' },
  { name: 'quarantine' },
  { name: 'record_chain' },
  // Its place is behind what was sent: some is sent again under the same ids.
  { name: 'stream_cursor', ...swept },
  { name: 'rule_health' },
  { name: 'model_day' },
  { name: 'state_seal' },
  // Those that a merge is still writing are no part of the store.
  { name: 'state_segment', where: 't.level is not null' },
  {
    name: 'state_block',
    key: ['segment'],
    order: ['segment', 'block'],
    parent: { table: 'state_segment', on: { segment: 'id' } },
    where: 'p.level is not null',
    followsParent: true,
  },
];

/** Copied by `copy-log.ts`, or written by the move itself. */
export const specialTables = [
  'workspace',
  'log_partition',
  'log_block',
  'log_record',
  'log_idempotency',
  'policy_artifact',
] as const;

/** Tables of the installation or of one database: their rows stay. */
export const tablesThatStay = [
  'account',
  'account_role',
  'adoption_key',
  'api_token',
  'audit_entry',
  'audit_head',
  'audit_intent',
  'audit_key',
  'audit_sent',
  'cell',
  'cell_number',
  'console_session',
  'erasure_forgotten',
  'installation',
  'invitation',
  'license_key_owner',
  'log_noted',
  'log_place',
  'log_store',
  'move_change',
  'move_copied',
  'notification_choice',
  'partition_keeper',
  'recovery_code',
  'retention_round',
  'retired_master_key',
  'schema_migration',
  'stream',
  'workspace_change',
  'workspace_database',
  'workspace_leaving',
  'workspace_move',
] as const;

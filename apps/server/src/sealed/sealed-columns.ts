/**
 * Every column that holds a sealed value, one for each row: which key seals it, and what it is bound to. Sealed values
 * that share a column with others are read in `sealed-values.ts`.
 */
import { totpPlace } from '../access/accounts/second-factor.ts';
import { auditKeyPlace } from '../access/audit/audit-key.ts';
import { examplePlace } from '../backtest/backtests/example-detail.ts';
import { alertCommentPlace } from '../console/alerts/comments.ts';
import { handedNotePlace } from '../console/alerts/work-on-alerts.ts';
import { clientNotePlace } from '../console/client-notes.ts';
import { statePlace } from '../decide/entity-states/state-places.ts';
import { transcriptPlace } from '../deliver/attempt-transcript.ts';
import { commentPlace } from '../holds/stored-holds.ts';
import { destinationPlace } from '../notifications/destinations.ts';
import { notificationPlace } from '../notifications/notification-outbox.ts';
import type { Place } from '../platform/secrets/seal.ts';
import { directivePlace } from '../policies/directives/directives.ts';
import { itemPlace } from '../policies/directives/list-change-record.ts';
import { suppressionPlace } from '../policies/directives/rule-suppressions.ts';
import { decisionPlace } from '../records/event-opener.ts';
import { notePlace } from '../records/note-place.ts';
import { clientPlace } from '../tenancy/subjects/client-seal.ts';
import { subjectPlace } from '../tenancy/subjects/get-or-create.ts';
import { keyPlace } from '../tenancy/workspaces/license-keys.ts';
import { secretPlace } from '../tenancy/workspaces/workspace-secrets.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

/** A row of a column's query. Each query selects the first two, what names its key, and the columns of its place. */
export interface ColumnRow {
  readonly row: string;
  readonly sealed: Buffer;
  /** The client, or the master key, whose key it is. */
  readonly subject: string | null;
  readonly master_key_id: string | undefined;

  readonly action: string;
  readonly alert_id: string;
  readonly at: Date;
  readonly author: string;
  readonly backtest: number;
  readonly client_index: Buffer;
  readonly epoch: number;
  readonly first_offset: number;
  readonly from_seq: number;
  readonly hold: string;
  readonly item_index: Buffer;
  readonly kind: 'list' | 'suppress' | 'held' | 'hold';
  readonly list: string;
  readonly made_at: Date;
  readonly name: string;
  readonly next_offset: number;
  readonly notification: string;
  readonly number: number;
  readonly offset: number;
  readonly place: number;
  readonly position: number;
  readonly version: number;
}

export interface SealedColumn {
  /** `table.column`. */
  readonly name: string;
  readonly under: 'master key' | 'data key' | 'client key';
  /** Its rows, of one workspace unless it belongs to the installation; `row` names one in messages. */
  readonly sql: string;
  readonly placeOf: (row: ColumnRow, workspace: Workspace) => Place;
}

export interface SealedInstallationColumn extends Omit<SealedColumn, 'placeOf'> {
  readonly placeOf: (row: ColumnRow) => Place;
}

/** Columns that belong to no workspace. */
export const installationColumns: readonly SealedInstallationColumn[] = [
  {
    name: 'audit_key.sealed',
    under: 'master key',
    sql: `select 'the only one' as row, sealed, master_key_id, from_seq from audit_key`,
    placeOf: ({ from_seq: seq }) => auditKeyPlace(seq),
  },
  {
    name: 'account.totp_sealed',
    under: 'master key',
    sql: `select id as row, totp_sealed as sealed, master_key_id from account where totp_sealed is not null`,
    placeOf: ({ row }) => totpPlace(row),
  },
];

/** Columns of a workspace; `$1` is its id. */
export const workspaceColumns: readonly SealedColumn[] = [
  {
    name: 'workspace_secret.sealed',
    under: 'master key',
    sql: `select name || ' ' || version as row, sealed, master_key_id, name, version from workspace_secret where workspace_id = $1`,
    placeOf: ({ name, version }, { id }) => secretPlace(id, name, version),
  },
  {
    name: 'license_key.sealed',
    under: 'master key',
    sql: `select id as row, sealed, master_key_id from license_key where workspace_id = $1 and sealed is not null`,
    placeOf: ({ row }, { id }) => keyPlace(id, row),
  },
  {
    name: 'subject.sealed_key',
    under: 'data key',
    sql: `select id as row, sealed_key as sealed, client_index from subject where workspace_id = $1`,
    placeOf: ({ row, client_index: index }, { id }) => subjectPlace(id, row, index),
  },
  {
    name: 'checkpoint.state',
    under: 'data key',
    sql: `select 'the only one' as row, state as sealed, next_offset from checkpoint where workspace_id = $1`,
    placeOf: ({ next_offset: at }, { id }) => statePlace(id, at),
  },
  {
    name: 'log_base.state',
    under: 'data key',
    sql: `select 'the only one' as row, state as sealed, next_offset from log_base where workspace_id = $1`,
    placeOf: ({ next_offset: at }, { id }) => statePlace(id, at),
  },
  {
    name: 'directive.payload',
    under: 'data key',
    sql: `select id::text as row, payload as sealed, kind, subject from directive where workspace_id = $1`,
    placeOf: ({ kind, subject }, { id }) => directivePlace(id, { kind, subject: subject ?? undefined }),
  },
  {
    name: 'notification_destination.address',
    under: 'data key',
    sql: `select id as row, address as sealed from notification_destination where workspace_id = $1`,
    placeOf: ({ row }, { id }) => destinationPlace(id, row),
  },
  {
    name: 'suppression.payee',
    under: 'data key',
    sql: `select id as row, payee as sealed from suppression where workspace_id = $1 and payee is not null`,
    placeOf: ({ row }, workspace) => suppressionPlace(workspace, row),
  },
  {
    name: 'list_item.sealed',
    under: 'client key',
    sql: `select list || ' ' || id as row, sealed, subject, list, item_index from list_item where workspace_id = $1`,
    placeOf: ({ list, item_index: index }, { id }) => itemPlace(id, list, index),
  },
  {
    name: 'event.detail',
    under: 'client key',
    sql: `select "offset"::text as row, detail as sealed, subject, epoch, "offset" from event
           where workspace_id = $1 and detail is not null`,
    placeOf: (row, { id }) => decisionPlace(id, row),
  },
  {
    name: 'action.payload',
    under: 'client key',
    sql: `select id as row, payload as sealed, subject from action where workspace_id = $1 and payload <> ''`,
    placeOf: ({ row, subject }, { id }) => clientPlace('action', { workspaceId: id, subject }, row),
  },
  {
    name: 'attempt.detail',
    under: 'client key',
    sql: `select a.id || ' ' || t.number as row, t.detail as sealed, a.subject, a.id as action, t.number
            from attempt t join action a on a.id = t.action_id where a.workspace_id = $1`,
    placeOf: ({ subject, action, number }, workspace) => transcriptPlace({ workspace, subject, action, number }),
  },
  {
    name: 'backtest_example.detail',
    under: 'client key',
    sql: `select b.id || ' ' || e.place as row, e.detail as sealed, e.subject, b.id as backtest, e.place
            from backtest_example e join backtest b on b.id = e.backtest_id where b.workspace_id = $1`,
    placeOf: ({ backtest, place, subject }, workspace) => examplePlace({ workspace, backtest }, { place, subject }),
  },
  {
    name: 'alert.client',
    under: 'client key',
    sql: `select id as row, client as sealed, subject, first_offset from alert where workspace_id = $1 and client is not null`,
    placeOf: ({ subject, first_offset: first }, { id }) => clientPlace('alert', { workspaceId: id, subject }, first),
  },
  {
    name: 'alert.handed_note',
    under: 'client key',
    sql: `select id as row, handed_note as sealed, subject, handed_by_name as author, handed_at as at
            from alert
           where workspace_id = $1 and handed_note is not null`,
    placeOf: ({ row: alertId, author: giver, at }, { id: workspaceId }) =>
      handedNotePlace({ workspaceId, alertId }, { giver, atMs: at.getTime() }),
  },
  {
    name: 'alert_comment.sealed',
    under: 'client key',
    sql: `select c.alert_id || ' ' || c.seq as row, c.sealed, a.subject, c.alert_id, c.author, c.at
            from alert_comment c join alert a on a.workspace_id = c.workspace_id and a.id = c.alert_id
           where c.workspace_id = $1`,
    placeOf: ({ alert_id: alertId, author, at }, workspace) =>
      alertCommentPlace({ workspace, alertId }, { author, atMs: at.getTime() }),
  },
  {
    name: 'client_note.sealed',
    under: 'client key',
    sql: `select subject || ' ' || seq as row, sealed, subject, author, at from client_note where workspace_id = $1`,
    placeOf: ({ subject, author, at }, workspace) =>
      clientNotePlace({ workspace, subject: subject! }, { author, atMs: at.getTime() }),
  },
  {
    name: 'label.note',
    under: 'client key',
    sql: `select record_offset::text as row, note as sealed, subject, epoch, "offset", author from label
           where workspace_id = $1 and note is not null`,
    placeOf: (row, { id }) => notePlace('label', id, row),
  },
  {
    name: 'event_report.note',
    under: 'client key',
    sql: `select record_offset::text as row, note as sealed, subject, epoch, "offset", author from event_report
           where workspace_id = $1 and note is not null`,
    placeOf: (row, { id }) => notePlace('report', id, row),
  },
  {
    name: 'outcome_report.body',
    under: 'client key',
    sql: `select id as row, body as sealed, subject from outcome_report where workspace_id = $1 and body is not null`,
    placeOf: ({ row, subject }, { id }) => clientPlace('outcome', { workspaceId: id, subject }, row),
  },
  {
    name: 'notification_item.sealed',
    under: 'client key',
    sql: `select n.id || ' ' || i.position as row, i.sealed, i.subject, n.id as notification, i.position
            from notification_item i join notification n on n.id = i.notification_id where n.workspace_id = $1`,
    placeOf: ({ notification, position, subject }, { id }) =>
      notificationPlace(id, { id: notification, position, subject }),
  },
  {
    name: 'hold_decision.comment',
    under: 'client key',
    sql: `select h.id || ' ' || d.id as row, d.comment as sealed, h.subject, h.id as hold, d.author, d.made_at
            from hold_decision d join hold h on h.id = d.hold_id where d.workspace_id = $1 and d.comment is not null`,
    placeOf: ({ hold, subject, author, made_at: madeAt }, { id }) =>
      commentPlace(id, { id: hold, subject: subject! }, { author, madeAtMs: madeAt.getTime() }),
  },
];

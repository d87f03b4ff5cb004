import { clientOf, sessionOf } from '@ringfence/contract';
import { printRef } from '../../console/entity-ref.ts';
import { entitiesOf } from '../../console/event-index/entities.ts';
import type { AcceptedRecord } from './accepted-events.ts';
import { eventId } from '../../records/event-id.ts';
import type { ClientKeys, OpenedEvent } from '../../records/event-opener.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { EventRow } from './event-filter.ts';
import type { EventSummary } from './event-schema.ts';

type Tenant = Pick<Workspace, 'environment'>;

/** The content of an event; `undefined` if it can no longer be read. */
interface Opened {
  readonly opened: OpenedEvent | undefined;
  readonly keys: ClientKeys;
}

/** Prints an event that was decided, or waits. */
export function printRow(workspace: Tenant, row: EventRow, { opened, keys }: Opened): EventSummary {
  const { repeat_of: offset, repeat_epoch: epoch } = row;
  return {
    id: eventId(row, workspace),
    kind: row.kind,
    status: row.status,
    loggedAt: row.logged_at.toISOString(),
    ...(row.event_at === null ? {} : { eventAt: row.event_at.toISOString() }),
    ...(row.decided_at === null ? {} : { decidedAt: row.decided_at.toISOString() }),
    ...(row.channel_id === null ? {} : { channelId: row.channel_id }),
    ...whoseOf(row.subject, opened, keys),
    ...(row.session_index === null ? {} : { sessionRef: row.session_index.toString('base64url') }),
    ...(row.amount === null ? {} : { amount: row.amount }),
    ...(row.currency === null ? {} : { currency: row.currency }),
    ...payeeOf(row, opened),
    ...(row.country === null ? {} : { country: row.country }),
    ...(row.policy_version === null ? {} : { policyVersion: row.policy_version }),
    ...(offset === null || epoch === null ? {} : { repeatOf: eventId({ epoch, offset }, workspace) }),
    ...(row.matched === null ? {} : { matched: row.matched }),
    ...(row.mismatch === null ? {} : { mismatch: row.mismatch }),
    fired: row.fired,
    ...(row.control === null ? {} : { control: row.control }),
    shadow: row.shadow,
  };
}

/** Prints an event that the engine has not processed yet. */
export function printAccepted(workspace: Tenant, record: AcceptedRecord, { opened, keys }: Opened): EventSummary {
  return {
    id: eventId(record, workspace),
    kind: record.kind,
    status: 'accepted',
    loggedAt: new Date(record.logTimeMs).toISOString(),
    ...whoseOf(record.subject ?? null, opened, keys),
    fired: [],
    shadow: [],
  };
}

function payeeOf(
  { payee: index, payee_bank: bank }: EventRow,
  opened: OpenedEvent | undefined,
): Pick<EventSummary, 'payee' | 'payeeRef' | 'payeeBank'> {
  const payee = opened && entitiesOf(opened.event, opened.facts).payee;
  return {
    ...(payee === undefined ? {} : { payee }),
    ...(index === null ? {} : { payeeRef: printRef({ kind: 'payee', index }) }),
    ...(bank === null ? {} : { payeeBank: bank }),
  };
}

function whoseOf(
  subject: string | null,
  opened: OpenedEvent | undefined,
  keys: ClientKeys,
): Pick<EventSummary, 'client' | 'session' | 'clientRef' | 'erased'> {
  const clientRef = subject === null ? {} : { clientRef: subject };
  if (subject !== null && !keys.has(subject)) return { ...clientRef, erased: true };
  const client = opened && clientOf(opened.event);
  const session = opened && sessionOf(opened.event);
  return {
    ...clientRef,
    ...(client === undefined ? {} : { client }),
    ...(session === undefined ? {} : { session }),
  };
}

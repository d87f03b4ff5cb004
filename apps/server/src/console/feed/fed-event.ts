import type { EventTable } from '../../platform/database/tables.ts';
import type { ClientKeys, OpenedEvent } from '../../records/event-opener.ts';

/** The columns of an event's row that the feed reads. */
export type FedRow = Pick<
  EventTable,
  'offset' | 'epoch' | 'kind' | 'subject' | 'logged_at' | 'fired' | 'shadow' | 'detail' | 'channel_id'
>;

/** An event that the feed examines; `opened` is `undefined` when its body is no longer readable. */
export interface FedEvent {
  readonly row: FedRow;
  readonly opened: OpenedEvent | undefined;
  readonly keys: ClientKeys;
}

import type { EventTable } from '../../platform/database/tables.ts';
import type { ClientKeys, WholeEvent } from '../../records/event-opener.ts';

/** What the feed reads of an event's row. */
export type FedRow = Pick<
  EventTable,
  'offset' | 'epoch' | 'kind' | 'subject' | 'logged_at' | 'fired' | 'shadow' | 'detail' | 'channel_id'
>;

/** An event that the feed has to look into; `undefined` for a body that was not opened, or can be read no more. */
export interface FedEvent {
  readonly row: FedRow;
  readonly opened: WholeEvent | undefined;
  readonly keys: ClientKeys;
}

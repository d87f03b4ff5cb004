import type { EventTable } from '../../database/tables.ts';
import type { ClientKeys, WholeEvent } from '../../management/event-opener.ts';

/** What the feed reads of an event's row. */
export type FedRow = Pick<
  EventTable,
  | 'offset'
  | 'epoch'
  | 'kind'
  | 'subject'
  | 'logged_at'
  | 'status'
  | 'fired'
  | 'shadow'
  | 'mismatch'
  | 'detail'
  | 'channel_id'
>;

/** An event that was decided; `undefined` for a body that can be read no more. */
export interface FedEvent {
  readonly row: FedRow;
  readonly opened: WholeEvent | undefined;
  readonly keys: ClientKeys;
}

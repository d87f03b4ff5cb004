import type { EventKind } from '@ringfence/contract';
import type { LogRecord } from '@ringfence/log';

/**
 * An event inside another record of its client, a label or a report: its position, and its record's payload, sealed for
 * its client, in base64. The log may have dropped the event by the time the other record is stepped again.
 */
export interface StoredEvent {
  readonly offset: number;
  readonly epoch: number;
  readonly kind: EventKind;
  readonly loggedAtMs: number;
  readonly payload: string;
}

export function storedEvent(record: LogRecord & { readonly kind: EventKind }): StoredEvent {
  const { offset, epoch, kind, logTimeMs, payload } = record;
  return { offset, epoch, kind, loggedAtMs: logTimeMs, payload: Buffer.from(payload).toString('base64') };
}

/** The event's own record, as it was in the log, without `retryOf`, which only matters while the event is decided. */
export function eventRecordOf(
  event: StoredEvent,
  subject: string | undefined,
): LogRecord & { readonly kind: EventKind } {
  return {
    offset: event.offset,
    epoch: event.epoch,
    kind: event.kind,
    logTimeMs: event.loggedAtMs as LogRecord['logTimeMs'],
    subject,
    retryOf: undefined,
    payload: Buffer.from(event.payload, 'base64'),
  };
}

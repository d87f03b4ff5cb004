import type { EventKind } from '@ringfence/contract';
import type { Label } from '@ringfence/engine';
import type { LogEntry, LogRecord } from '@ringfence/log';
import { seal } from '../platform/secrets/seal.ts';
import { clientContext } from '../tenancy/subjects/client-seal.ts';

/** The payload of a `label` record. */
export interface LabelPayload {
  readonly label: Label;
  readonly author: string;
  /** The event: its position, and its record's stored payload, sealed for its client, in base64. */
  readonly event: {
    readonly offset: number;
    readonly epoch: number;
    readonly kind: EventKind;
    readonly loggedAtMs: number;
    readonly payload: string;
  };
  /** Sealed for the same client, in base64. */
  readonly note?: string;
}

export interface NewLabel {
  readonly label: Label;
  readonly author: string;
  readonly note: string | undefined;
}

/**
 * The record that labels an event. It contains the sealed event: the log may have dropped the event by the time the
 * label is stepped again. Erasing the client's key makes both unreadable.
 *
 * @param key the client's, or the workspace's for an event that names no client
 */
export function labelEntry(
  event: LogRecord & { readonly kind: EventKind },
  { label, author, note }: NewLabel,
  { workspaceId, key }: { readonly workspaceId: string; readonly key: Uint8Array },
): LogEntry {
  const { offset, epoch, kind, logTimeMs, subject } = event;
  const context = clientContext('label', workspaceId, subject);
  const sealed = note === undefined ? undefined : seal(key, Buffer.from(note), context);
  const payload: LabelPayload = {
    label,
    author,
    event: { offset, epoch, kind, loggedAtMs: logTimeMs, payload: Buffer.from(event.payload).toString('base64') },
    ...(sealed === undefined ? {} : { note: sealed.toString('base64') }),
  };
  return {
    kind: 'label',
    ...(subject === undefined ? {} : { subject }),
    payload: Buffer.from(JSON.stringify(payload)),
  };
}

/** The event's own record, as it was in the log, without `retryOf`, which only matters while the event is decided. */
export function labelledRecord(record: LogRecord): LogRecord & { readonly kind: EventKind } {
  const { event } = readLabel(record);
  return {
    offset: event.offset,
    epoch: event.epoch,
    kind: event.kind,
    logTimeMs: event.loggedAtMs as LogRecord['logTimeMs'],
    subject: record.subject,
    retryOf: undefined,
    payload: Buffer.from(event.payload, 'base64'),
  };
}

export function readLabel(record: LogRecord): LabelPayload {
  return JSON.parse(Buffer.from(record.payload).toString()) as LabelPayload;
}

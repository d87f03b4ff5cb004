import type { EventKind } from '@ringfence/contract';
import type { Label } from '@ringfence/engine';
import type { LogEntry, LogRecord } from '@ringfence/log';
import { seal } from '../platform/secrets/seal.ts';
import { notePlace } from './note-place.ts';
import { type StoredEvent, storedEvent } from './stored-event.ts';

/** The payload of a `label` record. */
export interface LabelPayload {
  readonly label: Label;
  readonly author: string;
  readonly event: StoredEvent;
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
  const { subject } = event;
  const sealed =
    note === undefined
      ? undefined
      : seal(key, Buffer.from(note), notePlace('label', workspaceId, { ...event, author }));
  const payload: LabelPayload = {
    label,
    author,
    event: storedEvent(event),
    ...(sealed === undefined ? {} : { note: sealed.toString('base64') }),
  };
  return {
    kind: 'label',
    ...(subject === undefined ? {} : { subject }),
    payload: Buffer.from(JSON.stringify(payload)),
  };
}

export function readLabel(record: LogRecord): LabelPayload {
  return JSON.parse(Buffer.from(record.payload).toString()) as LabelPayload;
}

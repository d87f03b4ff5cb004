import type { EventKind } from '@ringfence/contract';
import type { Label } from '@ringfence/engine';
import type { LogEntry, LogRecord } from '@ringfence/log';
import { type Place, seal } from '../platform/secrets/seal.ts';
import { clientPlace } from '../tenancy/subjects/client-seal.ts';
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
    note === undefined ? undefined : seal(key, Buffer.from(note), labelPlace(workspaceId, { ...event, author }));
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

/** The place of a note, in the record and in the row that is made of it. */
export function labelPlace(
  workspaceId: string,
  about: {
    readonly subject: string | null | undefined;
    readonly epoch: number;
    readonly offset: number;
    readonly author: string;
  },
): Place {
  return clientPlace(
    'label',
    { workspaceId, subject: about.subject },
    `${about.epoch}:${about.offset}:${about.author}`,
  );
}

export function readLabel(record: LogRecord): LabelPayload {
  return JSON.parse(Buffer.from(record.payload).toString()) as LabelPayload;
}

import type { EventKind } from '@ringfence/contract';
import type { OutcomeReport } from '@ringfence/engine';
import type { LogEntry, LogRecord } from '@ringfence/log';
import { type Place, seal } from '../platform/secrets/seal.ts';
import { clientPlace } from '../tenancy/subjects/client-seal.ts';
import { type StoredEvent, storedEvent } from './stored-event.ts';

/** The payload of a `report` record. */
export interface ReportPayload {
  readonly report: OutcomeReport;
  readonly author: string;
  /** When it happened, as the bank said. */
  readonly atMs?: number;
  readonly event: StoredEvent;
  /** Sealed for the same client, in base64. */
  readonly note?: string;
}

export interface NewReport {
  readonly report: OutcomeReport;
  readonly author: string;
  readonly atMs: number | undefined;
  readonly note: string | undefined;
}

/**
 * The record of an outcome that a bank reported. Like a label, it contains the sealed event.
 *
 * @param key the client's, or the workspace's for an event that names no client
 */
export function reportEntry(
  event: LogRecord & { readonly kind: EventKind },
  { report, author, atMs, note }: NewReport,
  { workspaceId, key }: { readonly workspaceId: string; readonly key: Uint8Array },
): LogEntry {
  const { subject } = event;
  const sealed =
    note === undefined ? undefined : seal(key, Buffer.from(note), reportPlace(workspaceId, { ...event, author }));
  const payload: ReportPayload = {
    report,
    author,
    ...(atMs === undefined ? {} : { atMs }),
    event: storedEvent(event),
    ...(sealed === undefined ? {} : { note: sealed.toString('base64') }),
  };
  return {
    kind: 'report',
    ...(subject === undefined ? {} : { subject }),
    payload: Buffer.from(JSON.stringify(payload)),
  };
}

/** The place of a note, in the record and in the row that is made of it. */
export function reportPlace(
  workspaceId: string,
  about: {
    readonly subject: string | null | undefined;
    readonly epoch: number;
    readonly offset: number;
    readonly author: string;
  },
): Place {
  return clientPlace(
    'report',
    { workspaceId, subject: about.subject },
    `${about.epoch}:${about.offset}:${about.author}`,
  );
}

export function readReport(record: LogRecord): ReportPayload {
  return JSON.parse(Buffer.from(record.payload).toString()) as ReportPayload;
}

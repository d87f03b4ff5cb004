import type { EventKind } from '@ringfence/contract';
import type { OutcomeReport } from '@ringfence/engine';
import type { LogEntry, LogRecord } from '@ringfence/log';
import { seal } from '../platform/secrets/seal.ts';
import { notePlace } from './note-place.ts';
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
    note === undefined
      ? undefined
      : seal(key, Buffer.from(note), notePlace('report', workspaceId, { ...event, author }));
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

export function readReport(record: LogRecord): ReportPayload {
  return JSON.parse(Buffer.from(record.payload).toString()) as ReportPayload;
}

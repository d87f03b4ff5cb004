import {
  assert,
  type Enrichment,
  type Event,
  InvariantError,
  isEventKind,
  openEvent,
  type OpenedEvent as DecryptedEvent,
} from '@ringfence/contract';
import type { FiredRule } from '@ringfence/engine';
import type { EventLog, LogRecord } from '@ringfence/log';
import { open, type Place, SealError } from '../platform/secrets/seal.ts';
import { clientPlace, keyAmong } from '../tenancy/subjects/client-seal.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { readScattered } from './read-scattered.ts';

/** An event of the log, decrypted. */
export interface OpenedEvent {
  readonly event: Event;
  readonly facts: Enrichment['facts'];
  /** The time that an operation states. */
  readonly statedAtMs: number | undefined;
  /** The keyed index of a reference that was masked. */
  readonly referenceIndex: string | undefined;
  /** The request body as it was received. */
  readonly bodyText: string;
}

export interface DecisionDetail {
  readonly fired: readonly FiredRule[];
  readonly missing: readonly number[];
  /** Omitted when no rule has one. */
  readonly score?: number;
}

/** The keys of clients by subject. Those of erased clients are missing. */
export type ClientKeys = ReadonlyMap<string, Buffer>;

/**
 * Decrypts and parses an event's record.
 *
 * @returns `undefined` when the client was erased
 * @throws SealError, InvariantError for a damaged record
 */
export function decryptEvent(
  workspace: Workspace,
  { kind, subject, payload }: Pick<LogRecord, 'kind' | 'subject' | 'payload'>,
  keys: ClientKeys,
): DecryptedEvent | undefined {
  assert(isEventKind(kind), 'the record contains an event');
  const key = keyAmong(keys, workspace, subject);
  return key === undefined
    ? undefined
    : openEvent(kind, open(key, payload, eventPlace(workspace.id, { kind, subject })));
}

/** The place of an event's body. It is sealed before the log gives it an offset. */
export function eventPlace(workspaceId: string, { kind, subject }: Pick<LogRecord, 'kind' | 'subject'>): Place {
  return clientPlace('event', { workspaceId, subject }, kind);
}

/** The place of why rules fired on an event. */
export function decisionPlace(
  workspaceId: string,
  {
    subject,
    epoch,
    offset,
  }: { readonly subject: string | null | undefined; readonly epoch: number; readonly offset: number },
): Place {
  return clientPlace('decision', { workspaceId, subject }, `${epoch}:${offset}`);
}

/** An event's record for people; `undefined` when its client was erased or its bytes are damaged. */
export function openEventRecord(workspace: Workspace, record: LogRecord, keys: ClientKeys): OpenedEvent | undefined {
  const decrypted = unlessDamaged(() => decryptEvent(workspace, record, keys));
  if (decrypted === undefined) return undefined;
  const { event, enrichment, bodyText } = decrypted;
  const { facts, statedAtMs, referenceIndex } = enrichment;
  return { event, facts, statedAtMs, referenceIndex, bodyText };
}

/** The events at these offsets that can be read, by offset. An event that cannot does not affect others. */
export async function openEvents(
  log: Pick<EventLog, 'read'>,
  workspace: Workspace,
  { offsets, keys }: { readonly offsets: readonly number[]; readonly keys: ClientKeys },
): Promise<ReadonlyMap<number, OpenedEvent>> {
  const opened = new Map<number, OpenedEvent>();
  for (const [offset, record] of await readScattered(log, workspace.id, offsets)) {
    const event = openEventRecord(workspace, record, keys);
    if (event !== undefined) opened.set(offset, event);
  }
  return opened;
}

/** Why rules fired; `undefined` when none did, or when the detail cannot be read. */
export function openDecision(
  workspace: Workspace,
  row: {
    readonly offset: number;
    readonly epoch: number;
    readonly subject: string | null;
    readonly detail: Uint8Array | null;
  },
  keys: ClientKeys,
): DecisionDetail | undefined {
  const { subject, detail } = row;
  const key = keyAmong(keys, workspace, subject);
  if (detail === null || key === undefined) return undefined;
  return unlessDamaged(
    () => JSON.parse(open(key, detail, decisionPlace(workspace.id, row)).toString()) as DecisionDetail,
  );
}

function unlessDamaged<Opened>(work: () => Opened): Opened | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof SealError || error instanceof InvariantError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

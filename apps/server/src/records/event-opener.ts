import {
  clientOf,
  type Enrichment,
  type Event,
  type EventKind,
  InvariantError,
  openEvent,
  sessionOf,
} from '@ringfence/contract';
import type { FiredRule } from '@ringfence/engine';
import type { EventLog, LogRecord } from '@ringfence/log';
import { open, SealError } from '../platform/secrets/seal.ts';
import { clientContext, keyAmong, subjectsIn } from '../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { exactJson } from './exact-json.ts';
import { readScattered } from './read-scattered.ts';

/** The readable content of an event; unavailable as a whole when its client was erased or its bytes are damaged. */
export interface OpenedEvent {
  readonly client: string | undefined;
  readonly session: string | undefined;
  /** The request body as it was received. */
  readonly received: unknown;
  readonly facts: Enrichment['facts'];
}

export interface DecisionDetail {
  readonly fired: readonly FiredRule[];
  readonly missing: readonly number[];
  /** Omitted when no rule has one. */
  readonly score?: number;
}

/** Identifies a stored event to open. */
export interface StoredAt {
  readonly offset: number;
  readonly kind: EventKind;
  readonly subject: string | null;
}

export type ClientKeys = ReadonlyMap<string, Buffer>;

/**
 * Opens stored events with their clients' keys. An event that cannot be opened is omitted and does not affect others.
 */
export class EventOpener {
  readonly #log: Pick<EventLog, 'read'>;
  readonly #subjects: Pick<SubjectKeys, 'bySubject'>;

  constructor(log: Pick<EventLog, 'read'>, subjects: Pick<SubjectKeys, 'bySubject'>) {
    this.#log = log;
    this.#subjects = subjects;
  }

  /** Keys of the clients of some events; those of erased clients are missing. */
  keysOf(workspace: Workspace, events: readonly Pick<StoredAt, 'subject'>[]): Promise<ClientKeys> {
    return this.#subjects.bySubject(workspace, subjectsIn(events));
  }

  /** In the order of `events`; `undefined` for an event that cannot be read. */
  async openAll(
    workspace: Workspace,
    events: readonly StoredAt[],
    keys: ClientKeys,
  ): Promise<readonly (OpenedEvent | undefined)[]> {
    const offsets = events.map(({ offset }) => offset);
    const records = await readScattered(this.#log, workspace.id, offsets);
    return events.map(({ offset, kind }) => {
      const record = records.get(offset);
      return record === undefined ? undefined : openRecord(workspace, { record, kind }, keys);
    });
  }
}

/** Opens an event's record for people; `undefined` when its key is gone or its bytes are damaged. */
export function openRecord(
  workspace: Workspace,
  { record, kind }: { readonly record: LogRecord; readonly kind: EventKind },
  keys: ClientKeys,
): OpenedEvent | undefined {
  const opened = openRecordWhole(workspace, { record, kind }, keys);
  if (opened === undefined) return undefined;
  const { event, facts, bodyText } = opened;
  return { client: clientOf(event), session: sessionOf(event), received: exactJson(bodyText), facts };
}

/** An event opened for programs. */
export interface WholeEvent {
  readonly event: Event;
  readonly facts: Enrichment['facts'];
  /** The time that an operation states. */
  readonly statedAtMs: number | undefined;
  readonly bodyText: string;
}

/** Opens an event's record; `undefined` when its key is gone or its bytes are damaged. */
export function openRecordWhole(
  workspace: Workspace,
  { record, kind }: { readonly record: LogRecord; readonly kind: EventKind },
  keys: ClientKeys,
): WholeEvent | undefined {
  const key = keyAmong(keys, workspace, record.subject);
  if (key === undefined) return undefined;
  return unlessDamaged(() => {
    const plaintext = open(key, record.payload, clientContext('event', workspace.id, record.subject));
    const { event, door, bodyText } = openEvent(kind, plaintext);
    return { event, facts: door.facts, statedAtMs: door.statedAtMs, bodyText };
  });
}

/** Why rules fired; `undefined` when none did, or when the detail cannot be read. */
export function openDecision(
  workspace: Workspace,
  { subject, detail }: { readonly subject: string | null; readonly detail: Uint8Array | null },
  keys: ClientKeys,
): DecisionDetail | undefined {
  const key = keyAmong(keys, workspace, subject);
  if (detail === null || key === undefined) return undefined;
  return unlessDamaged(
    () => JSON.parse(open(key, detail, clientContext('decision', workspace.id, subject)).toString()) as DecisionDetail,
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

import { hash } from 'node:crypto';
import { clientOf, type EventKind, isEventKind } from '@ringfence/contract';
import type {
  EngineRecord,
  EngineSettings,
  HeldChange,
  HistoryStart,
  HoldChange,
  ListChange,
  Outcome,
  Suppression,
} from '@ringfence/engine';
import type { LogRecord } from '@ringfence/log';
import { readLabel } from './label-record.ts';
import { readReport } from './report-record.ts';
import { eventRecordOf } from './stored-event.ts';
import { openDirective } from '../policies/directives/directives.ts';
import { openListChange, type StoredListChange, subjectsOf } from '../policies/directives/list-change-record.ts';
import { SealError } from '../platform/secrets/seal.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { PolicySource } from '../policies/policy-cache.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { type ClientKeys, decryptEvent } from './event-opener.ts';
import { StepFailure } from './step-failure.ts';

/** A record of the log, opened for the engine. */
export interface OpenedRecord {
  readonly record: EngineRecord;
  readonly epoch: number;
}

/**
 * Opens the log's records for the engine: unseals events under their client's key, parses them, and attaches compiled
 * policies to policy records. An event whose key is gone becomes `unreadable`; one that does not open under an existing
 * key is damaged, and throws.
 */
export class RecordOpener {
  readonly #subjects: Pick<SubjectKeys, 'bySubject'>;
  readonly #policies: PolicySource;

  constructor(subjects: Pick<SubjectKeys, 'bySubject'>, policies: PolicySource) {
    this.#subjects = subjects;
    this.#policies = policies;
  }

  /**
   * All records except those in `skip`.
   *
   * @throws StepFailure naming the first damaged record
   */
  async openAll(
    workspace: Workspace,
    records: readonly LogRecord[],
    skip: ReadonlySet<number>,
  ): Promise<readonly OpenedRecord[]> {
    const wanted = records.filter(({ offset }) => !skip.has(offset));
    const keys = await this.#keysOf(workspace, wanted);
    const opened: OpenedRecord[] = [];
    for (const record of wanted) {
      opened.push({ record: await this.#open(workspace, record, keys), epoch: record.epoch });
    }
    return opened;
  }

  /** @throws StepFailure naming the first record whose existing key does not open */
  async #keysOf(workspace: Workspace, records: readonly LogRecord[]): Promise<ClientKeys> {
    const sealed = records.filter(({ kind, subject }) => subject !== undefined && isSealed(kind));
    if (sealed.length === 0) return noKeys;
    const subjects = new Set(sealed.map(({ subject }) => subject!));
    try {
      return await this.#subjects.bySubject(workspace, [...subjects]);
    } catch (cause) {
      if (!(cause instanceof SealError)) throw cause;
      for (const { offset, subject } of sealed) {
        await this.#subjects.bySubject(workspace, [subject!]).catch((error: unknown) => {
          throw error instanceof SealError ? new StepFailure(offset, error) : error;
        });
      }
      throw cause;
    }
  }

  async #open(workspace: Workspace, record: LogRecord, keys: ClientKeys): Promise<EngineRecord> {
    if (isSealed(record.kind)) return openSealed(workspace, record, keys);
    try {
      return await this.#openControl(workspace, record);
    } catch (cause) {
      throw cause instanceof SealError || cause instanceof SyntaxError ? new StepFailure(record.offset, cause) : cause;
    }
  }

  async #openControl(workspace: Workspace, record: LogRecord): Promise<EngineRecord> {
    const base = { offset: record.offset, logTimeMs: record.logTimeMs, epoch: record.epoch };
    switch (record.kind) {
      case 'tick':
        return { ...base, kind: 'tick' };
      case 'engine':
        return { ...base, kind: 'engine', version: (readJson(record) as { version: string }).version };
      case 'settings':
        return { ...base, kind: 'settings', settings: readJson(record) as EngineSettings };
      case 'policy': {
        const { version, history } = readJson(record) as { version: number; history?: HistoryStart };
        const policy = await this.#policies.policy(workspace.id, version);
        return { ...base, kind: 'policy', version, policy, ...(history === undefined ? {} : { history }) };
      }
      case 'list':
        return { ...base, kind: 'list', change: await this.#openListChange(workspace, record) };
      case 'suppress':
        return { ...base, kind: 'suppress', suppression: openDirective(workspace, record) as Suppression };
      case 'held': {
        const held = openDirective(workspace, record) as HeldChange;
        return { ...base, kind: 'held', subject: record.subject, held };
      }
      case 'hold':
        return {
          ...base,
          kind: 'hold',
          subject: record.subject,
          hold: openDirective(workspace, record) as HoldChange,
        };
      case 'unblock':
        return { ...base, kind: 'unblock', subject: subjectOf(record) };
      case 'erase':
        return { ...base, kind: 'erase', subject: subjectOf(record) };
      case 'outcome':
        return { ...base, kind: 'outcome', subject: record.subject, outcome: readJson(record) as Outcome };
      default:
        throw new SealError(`record ${record.offset} is of an unknown kind`);
    }
  }

  /** Without the items of clients that were erased. */
  async #openListChange(workspace: Workspace, record: LogRecord): Promise<ListChange> {
    const stored = openDirective(workspace, record) as StoredListChange;
    const named = subjectsOf(stored);
    const keys = named.length === 0 ? noKeys : await this.#subjects.bySubject(workspace, named);
    return openListChange(workspace.id, stored, keys);
  }
}

const noKeys: ClientKeys = new Map();

/** Whether its content is sealed under its client's key. */
function isSealed(kind: LogRecord['kind']): boolean {
  return isEventKind(kind) || kind === 'label' || kind === 'report';
}

/** Does no I/O, so every error is a failure of this record. @throws StepFailure */
function openSealed(workspace: Workspace, record: LogRecord, keys: ClientKeys): EngineRecord {
  try {
    if (isEvent(record)) return openEventRecord(workspace, record, keys);
    return record.kind === 'label'
      ? openLabelRecord(workspace, record, keys)
      : openReportRecord(workspace, record, keys);
  } catch (cause) {
    throw new StepFailure(record.offset, cause);
  }
}

function isEvent(record: LogRecord): record is LogRecord & { readonly kind: EventKind } {
  return isEventKind(record.kind);
}

function openEventRecord(
  workspace: Workspace,
  record: LogRecord & { readonly kind: EventKind },
  keys: ClientKeys,
): EngineRecord {
  const { kind, offset, logTimeMs, subject, epoch } = record;
  const decrypted = decryptEvent(workspace, record, keys);
  if (decrypted === undefined) return { kind: 'unreadable', offset, logTimeMs, epoch, subject, event: kind };
  const { event, enrichment, bodyText } = decrypted;
  return {
    kind: 'event',
    offset,
    logTimeMs,
    epoch,
    event,
    enrichment,
    subject: clientOf(event) === undefined ? undefined : subject,
    bodyHash: bodyHashOf(bodyText, enrichment.referenceIndex),
    retryOf: record.retryOf,
  };
}

/** Two operations whose references look the same after masking have different bodies. */
function bodyHashOf(bodyText: string, referenceIndex: string | undefined): string {
  return hash('sha256', referenceIndex === undefined ? bodyText : `${referenceIndex} ${bodyText}`, 'base64url');
}

/** A label with its event, which is opened like the event's own record. */
function openLabelRecord(workspace: Workspace, record: LogRecord, keys: ClientKeys): EngineRecord {
  const { label, author, note, event: about } = readLabel(record);
  const event = openEventRecord(workspace, eventRecordOf(about, record.subject), keys);
  return {
    kind: 'label',
    offset: record.offset,
    logTimeMs: record.logTimeMs,
    epoch: record.epoch,
    label,
    event: event.kind === 'event' ? event : undefined,
    told: {
      offset: about.offset,
      epoch: about.epoch,
      subject: record.subject,
      author,
      note: note === undefined ? undefined : Buffer.from(note, 'base64'),
    },
  };
}

/** An outcome that the bank reported, with its event, which is opened like the event's own record. */
function openReportRecord(workspace: Workspace, record: LogRecord, keys: ClientKeys): EngineRecord {
  const { report, author, atMs, note, event: about } = readReport(record);
  const event = openEventRecord(workspace, eventRecordOf(about, record.subject), keys);
  return {
    kind: 'report',
    offset: record.offset,
    logTimeMs: record.logTimeMs,
    epoch: record.epoch,
    report,
    event: event.kind === 'event' ? event : undefined,
    told: {
      offset: about.offset,
      epoch: about.epoch,
      subject: record.subject,
      author,
      atMs,
      note: note === undefined ? undefined : Buffer.from(note, 'base64'),
    },
  };
}

function subjectOf(record: LogRecord): string {
  if (record.subject === undefined) throw new SealError(`record ${record.offset} names no client`);
  return record.subject;
}

function readJson(record: LogRecord): unknown {
  return JSON.parse(Buffer.from(record.payload).toString());
}

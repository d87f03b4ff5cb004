import { clientOf, unreachable } from '@ringfence/contract';
import { actionId, decodeActionPayload } from '@ringfence/delivery';
import type { ActionRef, HeldChange, HoldChange, Outcome } from '@ringfence/engine';
import type { LogRecord } from '@ringfence/log';
import type { Pool } from 'pg';
import { openUndamaged } from '../platform/secrets/seal.ts';
import { openDirective } from '../policies/directives/directives.ts';
import { eventId } from '../records/event-id.ts';
import { type ClientKeys, openEventRecord } from '../records/event-opener.ts';
import { readLabel } from '../records/label-record.ts';
import { notePlace } from '../records/note-place.ts';
import { readScattered } from '../records/read-scattered.ts';
import { readReport } from '../records/report-record.ts';
import { eventRecordOf, type StoredEvent } from '../records/stored-event.ts';
import { clientPlace, keyAmong, subjectsIn } from '../tenancy/subjects/client-seal.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { SourceDeps } from './decision-source.ts';
import { type Fact, type FactPage, type FactSource, nothingFound, workspaceText } from './fact.ts';
import { keyOfClient } from './message-key.ts';
import type { OutcomeMessage } from './message-schemas.ts';

/** Offsets among which those of other records than events are looked for at a time. */
const lookedMax = 20_000;

const changesOfResults = {
  executed: 'actionExecuted',
  notExecuted: 'actionNotExecuted',
  failed: 'actionFailed',
  expired: 'actionExpired',
} as const satisfies Record<Outcome['result'], OutcomeMessage['change']>;

const changesOfHolds = {
  propose: 'holdProposed',
  withdraw: 'holdWithdrawn',
  release: 'holdReleased',
  reject: 'holdRejected',
} as const satisfies Record<HoldChange['change'], OutcomeMessage['change']>;

/** What a record says, beside the members that all messages have. */
type Told = Partial<OutcomeMessage> & Pick<OutcomeMessage, 'change'>;

interface Opened {
  readonly keys: ClientKeys;
  readonly actions: ReadonlyMap<string, ActionRow>;
}

/**
 * Records of the log about the results of actions and the outcomes of events, in its order. The engine has processed them: their events
 * and actions are stored.
 */
export function outcomeSource({ pool, log, subjects }: SourceDeps): FactSource {
  return {
    async read(workspace, from, limit): Promise<FactPage> {
      const range = workspace && (await processed(pool, workspace.id, from));
      if (workspace === undefined || range === undefined || range.end <= range.start) return nothingFound(from);
      const offsets = await otherThanEvents(pool, workspace.id, range);
      const wanted = offsets.slice(0, limit);
      const read = await readScattered(log, workspace.id, wanted);
      const records = wanted.flatMap((offset) => read.get(offset) ?? []).filter(({ kind }) => kinds.has(kind));
      const keys = await subjects.bySubject(workspace, subjectsIn(records));
      const actions = await readActions(pool, workspace.id, offsetsNamed(workspace, records));
      const isCut = offsets.length > limit;
      return {
        facts: records.map((record) => factOf(workspace, record, { keys, actions })),
        next: isCut ? wanted.at(-1)! + 1 : range.end,
        isMore: isCut || range.isCut,
      };
    },
  };
}

const kinds: ReadonlySet<LogRecord['kind']> = new Set(['outcome', 'held', 'hold', 'label', 'report']);

interface Range {
  readonly start: number;
  readonly end: number;
  readonly isCut: boolean;
}

/** The offsets from one on that are kept and that the engine has processed, at most `lookedMax`. */
async function processed(pool: Pool, workspaceId: string, from: number): Promise<Range | undefined> {
  const found = await pool.query<{ start: number; end: number }>({
    name: 'stream_processed',
    text: `select l.start_offset as start, e.next_offset as "end"
             from engine_position e join log_partition l on l.partition = e.workspace_id where e.workspace_id = $1`,
    values: [workspaceId],
  });
  const row = found.rows[0];
  if (row === undefined) return undefined;
  const start = Math.max(from, row.start);
  return { start, end: Math.min(row.end, start + lookedMax), isCut: row.end > start + lookedMax };
}

/** In their order. Every event has a row, so the log is read only for the other records. */
async function otherThanEvents(pool: Pool, workspaceId: string, { start, end }: Range): Promise<readonly number[]> {
  const found = await pool.query<{ offset: number }>({
    name: 'stream_others',
    text: `select r."offset" from generate_series($2::bigint, $3::bigint - 1) as r ("offset")
           except
           select "offset" from event where workspace_id = $1 and "offset" >= $2 and "offset" < $3
           order by 1`,
    values: [workspaceId, start, end],
  });
  return found.rows.map(({ offset }) => offset);
}

function factOf(workspace: Workspace, record: LogRecord, opened: Opened): Fact {
  const { offset, epoch, logTimeMs } = record;
  const told = toldBy(workspace, record, opened);
  const message = {
    id: `${epoch}_${offset}`,
    kind: 'outcomes',
    workspace: workspaceText(workspace),
    sequence: offset,
    at: new Date(logTimeMs).toISOString(),
    epoch,
    offset,
    ...told,
  } satisfies OutcomeMessage;
  return { position: offset, atMs: logTimeMs, key: told.client ?? workspace.id, message };
}

function toldBy(workspace: Workspace, record: LogRecord, opened: Opened): Told {
  switch (record.kind) {
    case 'outcome': {
      const { result, ...ref } = JSON.parse(Buffer.from(record.payload).toString()) as Outcome;
      return { change: changesOfResults[result], ...aboutActions(workspace, [ref], opened) };
    }
    case 'held': {
      const { change: step, actions } = openDirective(workspace, record) as HeldChange;
      const change = step === 'release' ? 'actionsReleased' : 'actionsDropped';
      return { change, ...aboutActions(workspace, actions, opened) };
    }
    case 'hold': {
      const { change: step, author, hold } = openDirective(workspace, record) as HoldChange;
      return { change: changesOfHolds[step], author, ...aboutActions(workspace, [hold], opened) };
    }
    case 'label': {
      const { label, author, note, event } = readLabel(record);
      const about = { event, note, author, kind: 'label' as const };
      return { change: 'labelled', label, author, ...aboutEvent(workspace, record, { about, opened }) };
    }
    case 'report': {
      const { report, author, atMs, note, event } = readReport(record);
      const { action, label, ...rest } = report;
      const about = { event, note, author, kind: 'report' as const };
      return {
        change: 'reported',
        ...rest,
        ...(label === undefined ? {} : { label }),
        ...(atMs === undefined ? {} : { happenedAt: new Date(atMs).toISOString() }),
        author,
        ...(action === undefined
          ? {}
          : { actions: [actionId({ workspaceId: workspace.id, epoch: event.epoch, ...action })] }),
        ...aboutEvent(workspace, record, { about, opened }),
      };
    }
    default:
      return unreachable(record.kind as never);
  }
}

interface About {
  readonly event: StoredEvent;
  readonly note: string | undefined;
  readonly author: string;
  readonly kind: 'label' | 'report';
}

/** The event that a label or a report contains, its client, and the note. */
function aboutEvent(
  workspace: Workspace,
  record: LogRecord,
  { about, opened }: { readonly about: About; readonly opened: Opened },
): Pick<OutcomeMessage, 'event' | 'client' | 'note'> {
  const { event, note, author, kind } = about;
  const { subject } = record;
  const read = openEventRecord(workspace, eventRecordOf(event, subject), opened.keys);
  const client = keyOfClient(workspace, read && clientOf(read.event));
  const key = keyAmong(opened.keys, workspace, subject);
  const place = notePlace(kind, workspace.id, { ...event, subject, author });
  const words =
    note === undefined || key === undefined ? undefined : openUndamaged(key, Buffer.from(note, 'base64'), place);
  return {
    event: eventId(event, workspace),
    ...(client === undefined ? {} : { client }),
    ...(words === undefined ? {} : { note: words.toString() }),
  };
}

interface ActionRow {
  readonly id: string;
  readonly epoch: number;
  readonly offset: number;
  readonly subject: string | null;
  readonly payload: Buffer;
}

const refText = ({ offset, reason, position }: ActionRef): string => `${offset} ${reason} ${position}`;

/** The ids of actions, and the event and client of the first. Actions that were removed have neither. */
function aboutActions(
  workspace: Workspace,
  refs: readonly ActionRef[],
  { keys, actions }: Opened,
): Pick<OutcomeMessage, 'actions' | 'event' | 'client'> {
  const rows = refs.flatMap((ref) => actions.get(refText(ref)) ?? []);
  const [first] = rows;
  if (first === undefined) return {};
  const { id, subject, payload } = first;
  const key = keyAmong(keys, workspace, subject);
  const read =
    key === undefined || payload.length === 0
      ? undefined
      : openUndamaged(key, payload, clientPlace('action', { workspaceId: workspace.id, subject }, id));
  const client = keyOfClient(workspace, read && decodeActionPayload(read).client);
  return {
    actions: rows.map((row) => row.id),
    event: eventId(first, workspace),
    ...(client === undefined ? {} : { client }),
  };
}

/** The offsets of the events whose actions the records name. */
function offsetsNamed(workspace: Workspace, records: readonly LogRecord[]): readonly number[] {
  return records.flatMap((record) => {
    if (record.kind === 'outcome') return [(JSON.parse(Buffer.from(record.payload).toString()) as Outcome).offset];
    if (record.kind === 'held')
      return (openDirective(workspace, record) as HeldChange).actions.map(({ offset }) => offset);
    return record.kind === 'hold' ? [(openDirective(workspace, record) as HoldChange).hold.offset] : [];
  });
}

async function readActions(
  pool: Pool,
  workspaceId: string,
  offsets: readonly number[],
): Promise<ReadonlyMap<string, ActionRow>> {
  if (offsets.length === 0) return new Map();
  const found = await pool.query<ActionRow & ActionRef>({
    name: 'stream_actions_of',
    text: `select id, epoch, "offset", reason, position, subject, payload from action
            where workspace_id = $1 and "offset" = any ($2::bigint[])`,
    values: [workspaceId, [...new Set(offsets)]],
  });
  return new Map(found.rows.map((row) => [refText(row), row]));
}

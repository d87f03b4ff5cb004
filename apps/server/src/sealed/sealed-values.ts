import { InvariantError, isEventKind } from '@ringfence/contract';
import type { EventLog, LogHead, LogRecord } from '@ringfence/log';
import type { Pool } from 'pg';
import { sealedEntries } from '../decide/entity-states/stored-segments.ts';
import { SealedBlock } from '../history/block.ts';
import type { MasterKeys } from '../platform/secrets/master-keys.ts';
import { open, type Place, SealError } from '../platform/secrets/seal.ts';
import { knownKey } from '../platform/secrets/sealing-key.ts';
import { directivePlace, openDirective } from '../policies/directives/directives.ts';
import { itemPlace, type StoredListChange } from '../policies/directives/list-change-record.ts';
import { eventPlace } from '../records/event-opener.ts';
import { readLabel } from '../records/label-record.ts';
import { notePlace } from '../records/note-place.ts';
import { readReport } from '../records/report-record.ts';
import { eventRecordOf } from '../records/stored-event.ts';
import { keyAmong, subjectsIn } from '../tenancy/subjects/client-seal.ts';
import { subjectPlace } from '../tenancy/subjects/get-or-create.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { readUndamaged } from './read-undamaged.ts';
import { type ColumnRow, installationColumns, workspaceColumns } from './sealed-columns.ts';

export interface SealedDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read' | 'head'>;
  readonly master: MasterKeys;
}

/** A sealed value at its place in the database. */
export interface SealedValue {
  /** `table.column`, or the kind of its record. */
  readonly kind: string;
  /** `undefined` if it belongs to the installation. */
  readonly workspace: string | undefined;
  readonly row: string;
  readonly key: Buffer;
  readonly place: Place;
  readonly sealed: Uint8Array;
}

/** The same before its key is looked up. */
interface Found extends Omit<SealedValue, 'key' | 'workspace'> {
  readonly subject: string | null | undefined;
}

/** Rows or records at a time. */
const someMax = 1_000;

/** Whether a value opens where it is. */
export function opensAtItsPlace({ key, sealed, place }: SealedValue): boolean {
  try {
    open(key, sealed, place);
    return true;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

/** What is sealed for the whole installation. */
export async function* installationValues({ pool, master }: SealedDeps): AsyncGenerator<SealedValue> {
  for (const { name, sql, placeOf } of installationColumns) {
    for await (const row of rowsOf<ColumnRow>(pool, sql, [])) {
      const { key } = knownKey(master, row.master_key_id ?? '');
      yield { kind: name, workspace: undefined, row: row.row, key, place: placeOf(row), sealed: row.sealed };
    }
  }
}

/** Everything that is sealed for a workspace, except values of erased clients, which have no key. */
export async function* workspaceValues(deps: SealedDeps, workspace: Workspace): AsyncGenerator<SealedValue> {
  for (const { name: kind, under, sql, placeOf } of workspaceColumns) {
    const found = async function* (): AsyncGenerator<Found & { readonly masterKeyId: string | undefined }> {
      for await (const row of rowsOf<ColumnRow>(deps.pool, sql, [workspace.id])) {
        const { sealed, subject, master_key_id: masterKeyId } = row;
        yield { kind, row: row.row, place: placeOf(row, workspace), sealed, subject, masterKeyId };
      }
    };
    if (under === 'client key') yield* withKeys(deps.pool, workspace, found());
    else {
      for await (const { masterKeyId, subject: _, ...value } of found()) {
        const key = masterKeyId === undefined ? workspace.secrets.data : knownKey(deps.master, masterKeyId).key;
        yield { ...value, workspace: workspace.id, key };
      }
    }
  }
  yield* withKeys(deps.pool, workspace, stateEntries(deps.pool, workspace));
  yield* withKeys(deps.pool, workspace, historyParts(deps.pool, workspace));
  yield* withKeys(deps.pool, workspace, recordValues(deps.log, workspace));
}

/** Adds the keys of clients, a thousand values at a time. */
async function* withKeys(pool: Pool, workspace: Workspace, found: AsyncIterable<Found>): AsyncGenerator<SealedValue> {
  let some: Found[] = [];
  const keyed = async (): Promise<readonly SealedValue[]> => {
    const keys = await keysOf(pool, workspace, subjectsIn(some));
    const values = some.flatMap(({ subject, ...value }): readonly SealedValue[] => {
      const key = keyAmong(keys, workspace, subject);
      return key === undefined ? [] : [{ ...value, workspace: workspace.id, key }];
    });
    some = [];
    return values;
  };
  for await (const one of found) {
    some.push(one);
    if (some.length === someMax) yield* await keyed();
  }
  yield* await keyed();
}

/** Without keys that do not open: `subject.sealed_key` reports those. */
async function keysOf(
  pool: Pool,
  workspace: Workspace,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const found = await pool.query<{ id: string; client_index: Buffer; sealed_key: Buffer }>(
    `select id, client_index, sealed_key from subject where workspace_id = $1 and id = any($2)`,
    [workspace.id, subjects],
  );
  const keys = new Map<string, Buffer>();
  for (const { id, client_index: index, sealed_key: sealed } of found.rows) {
    try {
      keys.set(id, open(workspace.secrets.data, sealed, subjectPlace(workspace.id, id, index)));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
    }
  }
  return keys;
}

async function* stateEntries(pool: Pool, workspace: Workspace): AsyncGenerator<Found> {
  for (const store of ['checkpoint', 'base'] as const) {
    for await (const { name, subject, sealed, place } of sealedEntries(pool, workspace, store)) {
      yield { kind: `state_block.bytes (${store})`, row: name.toString('hex'), subject, sealed, place };
    }
  }
}

async function* historyParts(pool: Pool, workspace: Workspace): AsyncGenerator<Found> {
  const blocks = rowsOf<{ segment_id: number; number: number; content: Buffer }>(
    pool,
    `select b.segment_id, b.number, b.content from history_block b join history_segment s on s.id = b.segment_id
      where s.workspace_id = $1`,
    [workspace.id],
  );
  for await (const { segment_id: segmentId, number, content } of blocks) {
    const [kind, row] = ['history_block.content', `${segmentId} ${number}`];
    yield* unlessUnreadable({ kind, row }, function* () {
      for (const { subject, sealed, place } of new SealedBlock({ workspace, segmentId, number }, content).parts()) {
        yield { kind, row: `${row} ${subject ?? '-'}`, subject, sealed, place };
      }
    });
  }
}

async function* recordValues(log: SealedDeps['log'], workspace: Workspace): AsyncGenerator<Found> {
  const { start, end } = await log.head(workspace.id);
  for (let from = start; from < end;) {
    const to = Math.min(from + someMax, end);
    const records = await readUndamaged(log, workspace.id, { from, end: to });
    for (const record of records) {
      const named = { kind: `record ${record.kind}`, row: String(record.offset) };
      yield* unlessUnreadable(named, () => sealedIn(workspace, record));
    }
    if (records.length < to - from) yield* missingRecords(await log.head(workspace.id), { from, to }, records);
    from = to;
  }
}

/** Records that are not there or cannot be read, except those that retention has removed meanwhile. */
function* missingRecords(
  { start }: LogHead,
  { from, to }: { readonly from: number; readonly to: number },
  records: readonly LogRecord[],
): Generator<Found> {
  const found = new Set(records.map(({ offset }) => offset));
  for (let offset = Math.max(from, start); offset < to; offset++) {
    if (!found.has(offset)) yield { ...unreadable, kind: 'record', row: String(offset) };
  }
}

function* sealedIn(workspace: Workspace, record: LogRecord): Generator<Found> {
  const { kind, offset, subject, payload } = record;
  const [row, of] = [String(offset), { kind: `record ${kind}`, subject }];
  if (isEventKind(kind)) yield { ...of, row, sealed: payload, place: eventPlace(workspace.id, record) };
  else if (kind === 'label' || kind === 'report') {
    const { event, note, author } = kind === 'label' ? readLabel(record) : readReport(record);
    const about = eventRecordOf(event, subject);
    yield { ...of, row: `${row} event`, sealed: about.payload, place: eventPlace(workspace.id, about) };
    const place = notePlace(kind, workspace.id, { ...event, subject, author });
    if (note !== undefined) yield { ...of, row: `${row} note`, sealed: Buffer.from(note, 'base64'), place };
  } else if (kind === 'list' || kind === 'suppress' || kind === 'held' || kind === 'hold') {
    yield { ...of, row, subject: undefined, sealed: payload, place: directivePlace(workspace.id, record) };
    if (kind === 'list') yield* itemsIn(workspace, record);
  }
}

const unreadable = { subject: undefined, sealed: Buffer.alloc(0), place: { of: '', row: '' } };

/** A part without a seal that is so damaged that the sealed values in it are not found counts as one of them. */
function* unlessUnreadable(named: Pick<Found, 'kind' | 'row'>, found: () => Generator<Found>): Generator<Found> {
  try {
    yield* found();
  } catch (error) {
    if (!(error instanceof InvariantError || error instanceof SyntaxError || error instanceof RangeError)) throw error;
    yield { ...unreadable, ...named };
  }
}

/** Items that name a client are sealed for it inside their record, which may be damaged itself. */
function* itemsIn(workspace: Workspace, record: LogRecord): Generator<Found> {
  let change: StoredListChange;
  try {
    change = openDirective(workspace, record) as StoredListChange;
  } catch (error) {
    if (error instanceof SealError) return;
    throw error;
  }
  const place = itemPlace(workspace.id, change.list);
  for (const item of [...change.put.map((put) => put.item), ...change.remove]) {
    if (typeof item === 'string') continue;
    const sealed = Buffer.from(item.sealed, 'base64');
    yield { kind: 'record list', row: `${record.offset} item`, subject: item.subject, sealed, place };
  }
}

/** The rows of a query, read by a cursor. */
async function* rowsOf<Row extends object>(pool: Pool, sql: string, values: readonly unknown[]): AsyncGenerator<Row> {
  const client = await pool.connect();
  try {
    await client.query('begin read only');
    await client.query(`declare sealed no scroll cursor for ${sql}`, [...values]);
    for (;;) {
      const { rows } = await client.query<Row>(`fetch ${someMax} from sealed`);
      yield* rows;
      if (rows.length < someMax) break;
    }
  } finally {
    await client.query('rollback').catch(() => undefined);
    client.release();
  }
}

import { sessionOf } from '@ringfence/contract';
import type { EventLog } from '@ringfence/log';
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import { queriesOver, type Tables } from '../../platform/database/tables.ts';
import { payeesNamed } from '../../console/search.ts';
import { blindIndex } from '../../platform/secrets/blind-index.ts';
import { subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type AcceptedRecord, findAccepted, findInLog, fits } from './accepted-events.ts';
import type { EventIdentity } from '../../records/event-id.ts';
import {
  type ClientKeys,
  type DecisionDetail,
  openDecision,
  type OpenedEvent,
  openEventRecord,
  openEvents,
} from '../../records/event-opener.ts';
import type { EventFilter, EventPage, EventRow } from './event-filter.ts';
import { findEvent, findEvents, findEventsAt } from './event-query.ts';
import { printAccepted, printRow } from './print-event.ts';
import type { EventSummary } from './event-schema.ts';

/** An event in a list; its offset is the pagination key. */
export interface ListedEvent {
  readonly offset: number;
  readonly summary: EventSummary;
}

/** What is stored about one event. */
export interface FoundEvent {
  readonly summary: EventSummary;
  readonly opened: OpenedEvent | undefined;
  readonly decision: DecisionDetail | undefined;
}

/**
 * Reads events of one workspace for people: finds them by blind indexes, and decrypts them while the client's key
 * exists.
 */
export class StoredEvents {
  readonly #pool: Pool;
  readonly #database: Kysely<Tables>;
  readonly #log: Pick<EventLog, 'read' | 'head'>;
  readonly #subjects: Pick<SubjectKeys, 'bySubject' | 'find'>;

  constructor(pool: Pool, log: Pick<EventLog, 'read' | 'head'>, subjects: Pick<SubjectKeys, 'bySubject' | 'find'>) {
    this.#pool = pool;
    this.#database = queriesOver(pool);
    this.#log = log;
    this.#subjects = subjects;
  }

  /**
   * Events that the engine has processed, newest first. An unknown client has none.
   *
   * @returns `lookedTo` if the scan stopped before the page was full: events before that offset were not examined
   */
  async list(
    workspace: Workspace,
    filter: EventFilter,
    page: EventPage,
  ): Promise<{ readonly events: readonly ListedEvent[]; readonly lookedTo?: number }> {
    const { client, session, status, payee, ...rest } = filter;
    const subject = client === undefined ? undefined : await this.#subjects.find(workspace, client);
    if ((client !== undefined && subject === undefined) || status === 'accepted') return { events: [] };
    const sessionIndex = session === undefined ? undefined : blindIndex(workspace.secrets.index, session, 'session');
    const payees = payee === undefined ? undefined : await payeesNamed(this.#pool, workspace, payee);
    if (payees?.length === 0) return { events: [] };
    const stored = { ...rest, workspaceId: workspace.id, subject, sessionIndex, status, payees };
    const { rows, ...looked } = await findEvents(this.#database, stored, page);
    return { events: await this.#print(workspace, rows), ...looked };
  }

  async #print(workspace: Workspace, rows: readonly EventRow[]): Promise<readonly ListedEvent[]> {
    const keys = await this.#keysOf(workspace, rows);
    const opened = await openEvents(this.#log, workspace, { offsets: rows.map(({ offset }) => offset), keys });
    return rows.map((row) => ({
      offset: row.offset,
      summary: printRow(workspace, row, { opened: opened.get(row.offset), keys }),
    }));
  }

  /**
   * Events that are stored but not processed by the engine yet, newest first.
   *
   * @returns `before` of the next page; `undefined` on the last one. A page can be short although there is a next one
   */
  async listAccepted(
    workspace: Workspace,
    filter: EventFilter,
    page: EventPage,
  ): Promise<{ readonly events: readonly ListedEvent[]; readonly before: number | undefined }> {
    const { client, session } = filter;
    const subject = client === undefined ? undefined : await this.#subjects.find(workspace, client);
    if (client !== undefined && subject === undefined) return { events: [], before: undefined };
    const on = { pool: this.#pool, log: this.#log, workspaceId: workspace.id };
    const { records, before } = await findAccepted(on, page, (record) => fits(record, filter, subject));
    const keys = await this.#keysOf(workspace, records);
    const opened = records.map((record) => ({
      record,
      event: openEventRecord(workspace, record, keys),
    }));
    const events = opened
      .filter(({ event }) => session === undefined || (event && sessionOf(event.event)) === session)
      .map(({ record, event }) => ({
        offset: record.offset,
        summary: printAccepted(workspace, record, { opened: event, keys }),
      }));
    return { events, before };
  }

  /** Events at these offsets, newest first; events that are not processed yet, or no longer exist, are left out. */
  async listAt(workspace: Workspace, offsets: readonly number[]): Promise<readonly ListedEvent[]> {
    const rows = await findEventsAt(this.#database, workspace.id, offsets);
    return this.#print(workspace, rows);
  }

  /** `undefined` for anything but an event of this workspace. */
  async find(
    workspace: Workspace,
    identity: { readonly epoch: number; readonly offset: number },
  ): Promise<FoundEvent | undefined> {
    const at = { ...identity, workspaceId: workspace.id };
    let row = await findEvent(this.#database, at);
    if (row === undefined) {
      const record = await findInLog(this.#log, workspace.id, identity);
      if (record === undefined) return undefined;
      row = await findEvent(this.#database, at); // The engine may have processed it between the two reads.
      if (row === undefined) return this.#accepted(workspace, record);
    }
    const keys = await this.#keysOf(workspace, [row]);
    const opened = (await openEvents(this.#log, workspace, { offsets: [row.offset], keys })).get(row.offset);
    return {
      summary: printRow(workspace, row, { opened, keys }),
      opened,
      decision: openDecision(workspace, row, keys),
    };
  }

  /**
   * An event in the form for programs; `undefined` if this workspace has no such event, or it can no longer be read.
   */
  async findWhole(workspace: Workspace, identity: EventIdentity): Promise<OpenedEvent | undefined> {
    const record = await findInLog(this.#log, workspace.id, identity);
    if (record === undefined) return undefined;
    return openEventRecord(workspace, record, await this.#keysOf(workspace, [record]));
  }

  async #accepted(workspace: Workspace, record: AcceptedRecord): Promise<FoundEvent> {
    const keys = await this.#keysOf(workspace, [record]);
    const opened = openEventRecord(workspace, record, keys);
    return { summary: printAccepted(workspace, record, { opened, keys }), opened, decision: undefined };
  }

  #keysOf(workspace: Workspace, of: Parameters<typeof subjectsIn>[0]): Promise<ClientKeys> {
    return this.#subjects.bySubject(workspace, subjectsIn(of));
  }
}

import type { Client } from 'pg';
import type { Ledger } from '../harness/ledger.ts';
import type { Management, SeenEvent } from '../harness/management.ts';
import type { WebhookReceiver } from '../harness/webhook-receiver.ts';
import { type Books, type Broken, judge, messageOf } from './judge.ts';

/** The checked promises of a run. */
export interface Findings {
  readonly acknowledged: number;
  /** Repeated POSTs: how often the bank got no response. */
  readonly repeats: number;
  readonly actions: number;
  /** Webhooks that arrived more than once under the same id, as at-least-once delivery allows. */
  readonly redelivered: number;
  /** Acknowledged events that may be lost. */
  readonly forgotten: number;
  readonly broken: Broken & {
    /** Responses that no event of this bank should get. */
    readonly refusals: readonly string[];
  };
}

export interface Book {
  readonly ledger: Ledger;
  readonly receiver: Pick<WebhookReceiver, 'received' | 'executed'>;
  readonly database: Pick<Client, 'query'>;
  readonly management: Management;
  /** Ids of events that may be lost. */
  readonly forgotten?: ReadonlySet<string> | undefined;
  /** If the service has had other banks: the one of this ledger, and the end of the log before its first event. */
  readonly only?: { readonly run: string; readonly from: number };
}

/** Compares the bank's ledger with the database and with the webhooks that arrived at the bank. */
export async function findBrokenPromises(book: Book): Promise<Findings> {
  const { reports, acknowledged, refusals } = book.ledger;
  const received = book.receiver.received.filter(({ body }) => isOf(book, messageOf(body)));
  const executed = [...book.receiver.executed.values()].filter(({ body }) => isOf(book, messageOf(body)));
  const [events, actions] = [await eventsOf(book), await actionsOf(book)];
  return {
    acknowledged: acknowledged.length,
    repeats: reports.reduce((sum, { tries }) => sum + Math.max(0, tries - 1), 0),
    actions: actions.length,
    redelivered: received.length - executed.length,
    forgotten: acknowledged.filter(({ eventId }) => book.forgotten?.has(eventId)).length,
    broken: { ...judge({ forgotten: book.forgotten, reports, executed, events, actions }), refusals },
  };
}

/** @param name a session, or the reference of an operation */
function isOf({ only }: Book, name: string): boolean {
  return only === undefined || name.startsWith(`${only.run}-`);
}

async function eventsOf(book: Book): Promise<readonly SeenEvent[]> {
  const events: SeenEvent[] = [];
  for await (const event of book.management.allEvents()) {
    if (Number(event.id.split('_').at(-1)) < (book.only?.from ?? 0)) break; // the newest is the first
    if (isOf(book, event.session ?? '')) events.push(event);
  }
  return events;
}

async function actionsOf({ database, only }: Book): Promise<Books['actions']> {
  const { rows } = await database.query<Books['actions'][number]>(
    `SELECT id, 'evt_' || epoch || '_' || "offset" AS event FROM action
      WHERE workspace_id IN (SELECT id FROM workspace WHERE name = 'bank') AND "offset" >= $1`,
    [only?.from ?? 0],
  );
  return rows;
}

export function isKept(findings: Findings): boolean {
  return Object.values(findings.broken).every((list) => list.length === 0);
}

/** `true` once every event is decided and every action of the bank has ended; `undefined` while some have not. */
export async function isAllDone(
  database: Client,
  { acknowledged }: Pick<Ledger, 'acknowledged'>,
  forgotten?: ReadonlySet<string>,
): Promise<true | undefined> {
  const moving = await database.query<{ readonly events: string; readonly actions: string }>(
    `SELECT (SELECT count(*) FROM event WHERE status <> 'waiting') AS events,
            (SELECT count(*) FROM action WHERE state IN ('waiting', 'due', 'leased')
                AND workspace_id IN (SELECT id FROM workspace WHERE name = 'bank')) AS actions`,
  );
  const row = moving.rows[0];
  const wanted = acknowledged.filter(({ eventId }) => forgotten?.has(eventId) !== true).length;
  return Number(row?.events) >= wanted && Number(row?.actions) === 0 ? true : undefined;
}

import type { Client } from 'pg';
import type { Ledger } from '../harness/ledger.ts';
import type { Management, SeenEvent } from '../harness/management.ts';
import type { WebhookReceiver } from '../harness/webhook-receiver.ts';
import { type Broken, judge } from './judge.ts';

/** The checked promises of a run. */
export interface Findings {
  readonly acknowledged: number;
  /** Repeated POSTs: how often the bank got no response. */
  readonly repeats: number;
  readonly actions: number;
  /** Webhooks that arrived more than once under the same id, as at-least-once delivery allows. */
  readonly redelivered: number;
  readonly broken: Broken & {
    /** Responses that no event of this bank should get. */
    readonly refusals: readonly string[];
  };
}

/** Compares the bank's ledger with the database and with the webhooks that arrived at the bank. */
export async function findBrokenPromises(book: {
  readonly ledger: Ledger;
  readonly receiver: WebhookReceiver;
  readonly database: Client;
  readonly management: Management;
}): Promise<Findings> {
  const { ledger, receiver, database, management } = book;
  const events: SeenEvent[] = [];
  for await (const event of management.allEvents()) events.push(event);
  const actions = await database.query<{ readonly id: string; readonly event: string }>(
    `SELECT id, 'evt_' || epoch || '_' || "offset" AS event FROM action
      WHERE workspace_id IN (SELECT id FROM workspace WHERE name = 'bank')`,
  );
  const { reports } = ledger;
  const executed = [...receiver.executed.values()];
  return {
    acknowledged: ledger.acknowledged.length,
    repeats: reports.reduce((sum, { tries }) => sum + Math.max(0, tries - 1), 0),
    actions: actions.rows.length,
    redelivered: receiver.received.length - receiver.executed.size,
    broken: { ...judge({ reports, executed, events, actions: actions.rows }), refusals: ledger.refusals },
  };
}

export function isKept(findings: Findings): boolean {
  return Object.values(findings.broken).every((list) => list.length === 0);
}

/** `true` once every event is decided and every action of the bank has ended; `undefined` while some have not. */
export async function isAllDone(database: Client, ledger: Ledger): Promise<true | undefined> {
  const moving = await database.query<{ readonly events: string; readonly actions: string }>(
    `SELECT (SELECT count(*) FROM event WHERE status <> 'waiting') AS events,
            (SELECT count(*) FROM action WHERE state IN ('waiting', 'due', 'leased')
                AND workspace_id IN (SELECT id FROM workspace WHERE name = 'bank')) AS actions`,
  );
  const row = moving.rows[0];
  return Number(row?.events) >= ledger.acknowledged.length && Number(row?.actions) === 0 ? true : undefined;
}

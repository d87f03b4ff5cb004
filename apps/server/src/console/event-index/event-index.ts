/**
 * What the console finds events by, and counts of their content: rows of `event_entity`, `console_seen` and
 * `console_bank`. The deciding thread writes them with its decisions, because it has the events decrypted.
 */
import { type Enrichment, minuteMs } from '@ringfence/contract';
import type { ClientBase } from 'pg';
import type { Columns, QueryParameters } from '../../platform/database/query-parameters.ts';
import { type Entities, entitiesOf, type EntityKind, entityIndex } from './entities.ts';
import { type IndexedEvent, warningsOf } from './event-warnings.ts';

/** The index of some events. */
export interface EventIndex {
  readonly events: readonly IndexRow[];
  readonly loginCounts: readonly LoginCount[];
  /** Banks of their accounts, each once. */
  readonly banks: readonly string[];
}

/** One row of `event_entity`. */
interface IndexRow {
  readonly offset: number;
  readonly channelId: number | null | undefined;
  /** Keyed hashes of the values in the event. */
  readonly hashes: Readonly<Partial<Record<EntityKind, Buffer>>>;
  /** The hash of the reference as it was sent, if it was masked. */
  readonly sentReference: Buffer | undefined;
  /** Its digits. */
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  /** Codes, as an array in PostgreSQL's text format; `undefined` for none. */
  readonly warnings: string | undefined;
}

/** How many logins came from a country or a platform, by minute. */
interface LoginCount {
  /** Of the first event of the index. */
  readonly offset: number;
  /** The start of the minute. */
  readonly atMs: number;
  readonly name: 'country' | 'device';
  readonly key: string;
  count: number;
}

/** The row of an event to index. */
export interface IndexedRow {
  readonly offset: number;
  readonly channelId: number | null | undefined;
  readonly loggedAtMs: number;
}

/** Banks that are kept to find an account by its number alone; the clients of a bank pay to a few hundred others. */
const banksMax = 1_000;
const bankLengthMax = 64;

/** Indexes some events of a workspace. */
export class EventIndexer {
  readonly #indexKey: Uint8Array;
  readonly #events: IndexRow[] = [];
  readonly #loginCounts = new Map<string, LoginCount>();
  readonly #banks = new Set<string>();

  /** @param indexKey the workspace's `index` key */
  constructor(indexKey: Uint8Array) {
    this.#indexKey = indexKey;
  }

  /** @param content `undefined` when it is no longer readable: the event gets an empty row */
  add({ offset, channelId, loggedAtMs }: IndexedRow, content: IndexedEvent | undefined): void {
    const nothing = { sentReference: undefined, amount: undefined, currency: undefined, warnings: undefined };
    const row = { offset, channelId, hashes: {}, ...nothing };
    if (content === undefined) {
      this.#events.push(row);
      return;
    }
    const { event, facts, referenceIndex } = content;
    const entities = entitiesOf(event, facts);
    const order = event.kind === 'operation' ? event.order : undefined;
    const warnings = warningsOf(content, loggedAtMs);
    this.#events.push({
      ...row,
      hashes: this.#hashesOf(entities),
      sentReference: referenceIndex === undefined ? undefined : Buffer.from(referenceIndex, 'base64url'),
      amount: order?.amount,
      currency: order?.currency,
      warnings: warnings.length === 0 ? undefined : `{${warnings.join(',')}}`,
    });
    for (const account of [entities.account, entities.payee]) {
      if (account !== undefined) this.#banks.add(bankOf(account));
    }
    this.#countLogin(facts, loggedAtMs);
  }

  index(): EventIndex {
    return { events: this.#events, loginCounts: [...this.#loginCounts.values()], banks: [...this.#banks] };
  }

  #hashesOf(entities: Entities): IndexRow['hashes'] {
    const hashes: Partial<Record<EntityKind, Buffer>> = {};
    for (const [kind, value] of Object.entries(entities) as [EntityKind, string][]) {
      hashes[kind] = entityIndex(this.#indexKey, kind, value);
    }
    return hashes;
  }

  #countLogin(facts: Enrichment['facts'], loggedAtMs: number): void {
    this.#count(loggedAtMs, 'country', facts['ip.country']);
    this.#count(loggedAtMs, 'device', facts['device.platform']);
  }

  #count(loggedAtMs: number, name: LoginCount['name'], key: unknown): void {
    if (typeof key !== 'string') return;
    const atMs = Math.floor(loggedAtMs / minuteMs) * minuteMs;
    const id = `${atMs} ${name} ${key}`;
    const known = this.#loginCounts.get(id);
    if (known !== undefined) known.count++;
    else this.#loginCounts.set(id, { offset: this.#events[0]!.offset, atMs, name, key, count: 1 });
  }
}

/** @param account in the form of `entitiesOf`: `bank/number` */
function bankOf(account: string): string {
  return account.slice(0, account.indexOf('/'));
}

const indexColumns: Columns<IndexRow> = {
  offset: ['bigint', ({ offset }) => offset],
  channel: ['integer', ({ channelId }) => channelId],
  device: ['bytea', ({ hashes }) => hashes.device],
  ip: ['bytea', ({ hashes }) => hashes.ip],
  account: ['bytea', ({ hashes }) => hashes.account],
  payee: ['bytea', ({ hashes }) => hashes.payee],
  reference: ['bytea', ({ hashes }) => hashes.reference],
  sent_reference: ['bytea', ({ sentReference }) => sentReference],
  amount: ['text', ({ amount }) => amount],
  currency: ['text', ({ currency }) => currency],
  warnings: ['text', ({ warnings }) => warnings],
};

const loginCountColumns: Columns<LoginCount> = {
  offset: ['bigint', ({ offset }) => offset],
  at_s: ['float8', ({ atMs }) => atMs / 1_000],
  name: ['text', ({ name }) => name],
  key: ['text', ({ key }) => key],
  count: ['integer', ({ count }) => count],
};

/**
 * Subqueries of a `with` list that insert the index, without its banks.
 *
 * @param target an earlier subquery of the list with one row, whose `workspace_id` is the workspace; without that row
 *   nothing is inserted
 */
export function indexInserts(parameters: QueryParameters, target: string, index: EventIndex): string {
  return `indexed as (
            insert into event_entity (workspace_id, "offset", channel, device, ip, account, payee, reference, sent_reference,
                                      amount, currency, warnings)
            select ${target}.workspace_id, i."offset", i.channel, i.device, i.ip, i.account, i.payee, i.reference,
                   i.sent_reference, i.amount::numeric, i.currency, i.warnings::text[]
              from ${target}, ${parameters.table('i', indexColumns, index.events)}
          ), counted as (
            insert into console_seen (workspace_id, "offset", at, name, key, count)
            select ${target}.workspace_id, c."offset", to_timestamp(c.at_s), c.name, c.key, c.count
              from ${target}, ${parameters.table('c', loginCountColumns, index.loginCounts)}
          )`;
}

/** Stores the banks of accounts, in the caller's transaction. */
export async function putBanks(client: ClientBase, workspaceId: string, banks: readonly string[]): Promise<void> {
  if (banks.length === 0) return;
  await client.query({
    name: 'put_banks',
    text: `insert into console_bank (workspace_id, bank)
           select $1, b from unnest($2::text[]) b
            where length(b) <= ${bankLengthMax} and (select count(*) from console_bank where workspace_id = $1) < ${banksMax}
               and not exists (select 1 from console_bank k where k.workspace_id = $1 and k.bank = b)
           on conflict do nothing`,
    values: [workspaceId, banks],
  });
}

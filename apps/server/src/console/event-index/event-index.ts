/**
 * What the console finds events by, and counts of their content: columns of `event`, rows of `console_seen` and
 * `console_bank`. The deciding thread writes them with its decisions, because it has the events decrypted.
 */
import { type Enrichment, minuteMs } from '@ringfence/contract';
import type { ClientBase } from 'pg';
import type { Columns, QueryParameters } from '../../platform/database/query-parameters.ts';
import { type Entities, entitiesOf, type EntityKind, entityIndex } from './entities.ts';
import { type IndexedEvent, warningsOf } from './event-warnings.ts';

/** What some events are counted by, beside their rows. */
export interface EventIndex {
  readonly loginCounts: readonly LoginCount[];
  /** Banks of their accounts, each once. */
  readonly banks: readonly string[];
}

/** What an event can be found by. */
export interface FoundBy {
  /** Keyed hashes of the values in the event. */
  readonly hashes: Readonly<Partial<Record<EntityKind, Buffer>>>;
  /** The hash of the reference as it was sent, if it was masked. */
  readonly sentReference: Buffer | undefined;
  /** Its digits. */
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  /** Bank of the payee. */
  readonly payeeBank: string | undefined;
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
  readonly loggedAtMs: number;
}

/** Banks that are kept to find an account by its number alone; the clients of a bank pay to a few hundred others. */
const banksMax = 1_000;
const bankLengthMax = 64;

/** Indexes some events of a workspace. */
export class EventIndexer {
  readonly #indexKey: Uint8Array;
  readonly #loginCounts = new Map<string, LoginCount>();
  readonly #banks = new Set<string>();
  #firstOffset: number | undefined;

  /** @param indexKey the workspace's `index` key */
  constructor(indexKey: Uint8Array) {
    this.#indexKey = indexKey;
  }

  /** @returns what its row is found by */
  add({ offset, loggedAtMs }: IndexedRow, content: IndexedEvent): FoundBy {
    this.#firstOffset ??= offset;
    const { event, facts, referenceIndex } = content;
    const entities = entitiesOf(event, facts);
    const order = event.kind === 'operation' ? event.order : undefined;
    const warnings = warningsOf(content, loggedAtMs);
    for (const account of [entities.account, entities.payee]) {
      if (account !== undefined) this.#banks.add(bankOf(account));
    }
    this.#countLogin(facts, loggedAtMs);
    return {
      hashes: this.#hashesOf(entities),
      sentReference: referenceIndex === undefined ? undefined : Buffer.from(referenceIndex, 'base64url'),
      amount: order?.amount,
      currency: order?.currency,
      payeeBank: entities.payee === undefined ? undefined : shownBank(bankOf(entities.payee)),
      warnings: warnings.length === 0 ? undefined : `{${warnings.join(',')}}`,
    };
  }

  index(): EventIndex {
    return { loginCounts: [...this.#loginCounts.values()], banks: [...this.#banks] };
  }

  #hashesOf(entities: Entities): FoundBy['hashes'] {
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
    else this.#loginCounts.set(id, { offset: this.#firstOffset!, atMs, name, key, count: 1 });
  }
}

/** @param account in the form of `entitiesOf`: `bank/number` */
function bankOf(account: string): string {
  return account.slice(0, account.indexOf('/'));
}

/** `undefined` for none, and for a text that is too long for the name of a bank. */
function shownBank(bank: string): string | undefined {
  return bank === '' || bank.length > bankLengthMax ? undefined : bank;
}

/** The columns of `event` for it. */
export const foundByColumns: Columns<{ readonly foundBy: FoundBy | undefined }> = {
  device: ['bytea', ({ foundBy }) => foundBy?.hashes.device],
  ip: ['bytea', ({ foundBy }) => foundBy?.hashes.ip],
  account: ['bytea', ({ foundBy }) => foundBy?.hashes.account],
  payee: ['bytea', ({ foundBy }) => foundBy?.hashes.payee],
  reference: ['bytea', ({ foundBy }) => foundBy?.hashes.reference],
  sent_reference: ['bytea', ({ foundBy }) => foundBy?.sentReference],
  amount: ['text', ({ foundBy }) => foundBy?.amount],
  currency: ['text', ({ foundBy }) => foundBy?.currency],
  payee_bank: ['text', ({ foundBy }) => foundBy?.payeeBank],
  warnings: ['text', ({ foundBy }) => foundBy?.warnings],
};

const loginCountColumns: Columns<LoginCount> = {
  offset: ['bigint', ({ offset }) => offset],
  at_s: ['float8', ({ atMs }) => atMs / 1_000],
  name: ['text', ({ name }) => name],
  key: ['text', ({ key }) => key],
  count: ['integer', ({ count }) => count],
};

/**
 * Subquery of a `with` list that inserts the counts.
 *
 * @param target an earlier subquery of the list with one row, whose `workspace_id` is the workspace; without that row
 *   nothing is inserted
 */
export function countInsert(parameters: QueryParameters, target: string, index: EventIndex): string {
  return `counted as (
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

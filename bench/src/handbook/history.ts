import type { DecimalText, Enrichment, EpochMs, Event } from '@ringfence/contract';
import type { Rows } from './rows.ts';
import type { Visits } from './visits.ts';

/** One wire event as ingestion stores it. */
export interface HistoryEvent {
  readonly atMs: EpochMs;
  readonly event: Event;
  readonly enrichment: Enrichment;
  /** The client's random id: 16 characters. */
  readonly subject: string;
  /** A placeholder for the digest of the body: different for every event. */
  readonly bodyHash: string;
}

/** A history that can be read repeatedly, with the same result. */
export interface History {
  /** Logins, operations and logouts. */
  readonly count: number;
  /** Events `from` (inclusive) to `to` (exclusive), in order of time. Built at each call. */
  slice(from: number, to: number): readonly HistoryEvent[];
}

/** Rows, then logins, then logouts share one numbering, which fits into 23 bits beside a time in seconds. */
const indexBits = 2 ** 23;
const channelId = 1;

export function historyOf(rows: Rows, visits: Visits): History {
  const firstS = (rows.epochS[0] ?? 0) - 3_600;
  const order = timeline(rows, visits, firstS);
  const at = (position: number): HistoryEvent => {
    const key = order[position] ?? 0;
    const index = key % indexBits;
    const atMs = ((Math.floor(key / indexBits) + firstS) * 1_000) as EpochMs;
    if (index < rows.count) return operation(rows, visits, { row: index, atMs });
    const visit = (index - rows.count) % visits.count;
    return index < rows.count + visits.count ? login(visits, visit, atMs) : logout(visits, visit, atMs);
  };
  return {
    count: order.length,
    slice: (from, to) => Array.from({ length: Math.min(to, order.length) - from }, (_, i) => at(from + i)),
  };
}

/** Every event as one number, `seconds since firstS * 2^23 + index`, sorted. */
function timeline(rows: Rows, visits: Visits, firstS: number): Float64Array {
  const keys = new Float64Array(rows.count + 2 * visits.count);
  let used = 0;
  const add = (epochS: number, index: number): void => {
    keys[used++] = (epochS - firstS) * indexBits + index;
  };
  for (let row = 0; row < rows.count; row++) add(rows.epochS[row] ?? 0, row);
  for (let visit = 0; visit < visits.count; visit++) {
    add(visits.loginEpochS[visit] ?? 0, rows.count + visit);
    const logoutS = visits.logoutEpochS[visit] ?? 0;
    if (logoutS !== 0) add(logoutS, rows.count + visits.count + visit);
  }
  return keys.slice(0, used).sort();
}

function login(visits: Visits, visit: number, atMs: EpochMs): HistoryEvent {
  const customer = visits.customer[visit] ?? 0;
  const device = visits.device[visit] ?? 0;
  const event: Event = {
    kind: 'login',
    channelId,
    user: clientName(customer),
    session: sessionName(visit),
    publicIp: addressOf(customer, visits.address[visit] ?? 0),
    data: `device-${customer}-${device}`,
  };
  return {
    atMs,
    event,
    enrichment: { facts: { 'ip.valid': true } },
    subject: subjectOf(customer),
    bodyHash: `login-${visit}`,
  };
}

function logout(visits: Visits, visit: number, atMs: EpochMs): HistoryEvent {
  const customer = visits.customer[visit] ?? 0;
  const event: Event = { kind: 'logout', channelId, user: clientName(customer), session: sessionName(visit) };
  return { atMs, event, enrichment: { facts: {} }, subject: subjectOf(customer), bodyHash: `logout-${visit}` };
}

function operation(rows: Rows, visits: Visits, at: { readonly row: number; readonly atMs: EpochMs }): HistoryEvent {
  const customer = rows.customer[at.row] ?? 0;
  const terminal = String(rows.terminal[at.row]).padStart(5, '0');
  const event: Event = {
    kind: 'operation',
    channelId,
    timestamp: new Date(at.atMs).toISOString(),
    transaction: { category: 'transfer', type: 'spei', reference: `tx-${at.row}` },
    account: {
      client: clientName(customer),
      session: sessionName(visits.ofRow[at.row] ?? 0),
      accountNumber: `0121800000000${String(customer).padStart(5, '0')}`,
      bank: 'BANK-A',
    },
    order: { amount: decimalText(rows.amountCents[at.row] ?? 0), currency: 'MXN' },
    accountTo: { accountNumber: `0021800000000${terminal}`, bank: 'BANK-B' },
  };
  const enrichment: Enrichment = { statedAtMs: at.atMs, facts: {} };
  return { atMs: at.atMs, event, enrichment, subject: subjectOf(customer), bodyHash: `operation-${at.row}` };
}

function clientName(customer: number): string {
  return `client-${customer}`;
}

function sessionName(visit: number): string {
  return `session-${visit}`;
}

function subjectOf(customer: number): string {
  return `s${String(customer).padStart(15, '0')}`;
}

/** The usual addresses of a customer are in one network; new ones are spread over all networks. */
function addressOf(customer: number, address: number): string {
  const [high, low] = [Math.floor(customer / 250), customer % 250];
  return address < 10 ? `10.${high}.${low}.${address + 1}` : `172.16.${address}.${low + 1}`;
}

function decimalText(cents: number): DecimalText {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}` as DecimalText;
}

import type { DecimalText, Enrichment, EpochMs, Event } from '@ringfence/contract';
import type { EngineSettings } from '@ringfence/engine';
import { between, seededRandom } from '@ringfence/e2e';
import type { HistoryEvent } from '../handbook/history.ts';

/** Days that the events span, for any number of clients: longer than any window of the policy. */
const days = 30;
const startMs = 1_750_000_000_000;
/**
 * One event in this many is a login, and so is the first of each client; the others are operations of the client's one
 * session.
 */
const loginEvery = 10;
const sessionMs = 2 * days * 86_400_000;
const payees = 5_000;

/** The session of a client never expires, so no operation waits for a login. */
export const lastingSessions: Partial<EngineSettings> = {
  sessionDefaults: { idleMs: sessionMs, absoluteMs: sessionMs, sessions: 'required' },
};

/** A few busy clients and many inactive ones: client k occurs with a frequency proportional to 1/k (Zipf). */
export class Clients {
  readonly #random: () => number;
  readonly #sums: Float64Array;
  readonly #stepMs: number;
  /** 1 for each client that has logged in. */
  readonly #known: Uint8Array;
  #made = 0;

  constructor(of: { readonly clients: number; readonly events: number; readonly seed: number }) {
    this.#random = seededRandom(of.seed);
    this.#stepMs = (days * 86_400_000) / of.events;
    this.#sums = new Float64Array(of.clients);
    this.#known = new Uint8Array(of.clients);
    let sum = 0;
    for (let client = 0; client < of.clients; client++) this.#sums[client] = sum += 1 / (client + 1);
  }

  /** The next events, in order of time. */
  next(count: number): readonly HistoryEvent[] {
    return Array.from({ length: count }, () => this.#event());
  }

  #event(): HistoryEvent {
    const at = this.#made++;
    const atMs = Math.floor(startMs + at * this.#stepMs) as EpochMs;
    // Scatters adjacent numbers in memory: client names are pseudorandom.
    const client = this.#pick();
    const [user, subject] = [`client-${client}`, `s${String(client).padStart(15, '0')}`];
    const logsIn = between(this.#random, 1, loginEvery) === 1 || this.#known[client] === 0;
    this.#known[client] = 1;
    const told = logsIn ? login(user, client) : operation(user, at, this.#random);
    const enrichment: Enrichment =
      told.kind === 'login' ? { facts: { 'ip.valid': true } } : { statedAtMs: atMs, facts: {} };
    return { atMs, event: told, enrichment, subject, bodyHash: `body-${at}` };
  }

  #pick(): number {
    const sums = this.#sums;
    const wanted = this.#random() * sums.at(-1)!;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle]! > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function login(user: string, client: number): Event {
  const publicIp = `10.${(client >>> 16) & 255}.${(client >>> 8) & 255}.${client & 255}`;
  return { kind: 'login', channelId: 1, user, session: `session-${client}`, publicIp, data: 'data' };
}

function operation(user: string, at: number, random: () => number): Event {
  const cents = between(random, 100, 200_000);
  return {
    kind: 'operation',
    channelId: 1,
    transaction: { category: 'transfer', type: 'spei', reference: `tx-${at}` },
    account: { client: user, session: `session-${user.slice('client-'.length)}` },
    order: {
      amount: `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}` as DecimalText,
      currency: 'MXN',
    },
    accountTo: { accountNumber: `00${between(random, 1, payees)}`, bank: 'BANK-B' },
  };
}

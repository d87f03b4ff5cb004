import type { DecimalText, Enrichment, EpochMs, Event } from '@ringfence/contract';
import type { EngineSettings } from '@ringfence/engine';
import { between, seededRandom } from '@ringfence/e2e';
import type { HistoryEvent } from '../handbook/history.ts';

/** Over so many days, whatever the number of clients: longer than any window of the policy. */
const days = 30;
const startMs = 1_750_000_000_000;
/** One event in so many is a login, and the first of each client; the others are operations of its one session. */
const loginEvery = 10;
const sessionMs = 2 * days * 86_400_000;
const payees = 5_000;

/** The session of a client lasts: no operation waits for a login that does not come. */
export const lastingSessions: Partial<EngineSettings> = {
  sessionDefaults: { idleMs: sessionMs, absoluteMs: sessionMs, sessions: 'required' },
};

/** Clients of whom few are busy and most are not: the k-th is met in proportion to 1/k (Zipf). */
export class Clients {
  readonly #random: () => number;
  readonly #sums: Float64Array;
  readonly #stepMs: number;
  /** 1 for each that has logged in. */
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
    // Neighbours in number are not neighbours in memory: every client's name is as good as drawn by lot.
    const client = this.#pick();
    const [user, subject] = [`client-${client}`, `s${String(client).padStart(15, '0')}`];
    const logsIn = between(this.#random, 1, loginEvery) === 1 || this.#known[client] === 0;
    this.#known[client] = 1;
    const told = logsIn ? login(user, client) : operation(user, at, this.#random);
    const door: Enrichment = told.kind === 'login' ? { facts: { 'ip.valid': true } } : { statedAtMs: atMs, facts: {} };
    return { atMs, event: told, door, subject, bodyHash: `body-${at}` };
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

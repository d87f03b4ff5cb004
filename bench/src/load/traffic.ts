import { assert } from '@ringfence/contract';

/** The traffic, computed by arithmetic alone: request number `i` is the same in every process and every round. */
export interface Traffic {
  readonly host: string;
  readonly token: string;
  /** `/api/v5/analytics/app` or a similar prefix. */
  readonly pathPrefix: string;
  /** Number of clients, used in turn; at most 999,999. */
  readonly clients: number;
  /** The number of the first client; 0 by default. */
  readonly firstClient?: number;
  /** Concurrent visits: the number of requests between two steps of one visit. */
  readonly width: number;
  /**
   * Payments among the eight operations of a visit, with every member of the interface; the others are balance
   * inquiries.
   */
  readonly payments: number;
  /** Half of the payments go to one of this many payees, at most 1,000,000. Absent: each client has one payee. */
  readonly payees?: number;
  /** One operation in this many is marked (`transaction.category` is `benchmark-marked`); 0 for none. */
  readonly markEvery: number;
  /** Distinguishes runs on the same service, 0 to 999. */
  readonly run: number;
  /** Every request waits this long for its decision (`Prefer: wait=N`). Absent: no request waits. */
  readonly waitSeconds?: number;
  /** Asks for the status of what a load with the same numbers has sent, instead of sending it. */
  readonly asks?: boolean;
}

/** A multiplier that spreads neighbouring numbers: 2^32 divided by the golden ratio (Knuth). */
const spread = 2_654_435_761;

/** A visit: a login, eight operations, a logout. */
const visitSteps = 10;
/** Bytes; larger than any request that `fill` writes. */
export const requestBytesMax = 2_048;

/** The sources of the digits in a template. */
type Source = 'client' | 'payee' | 'addressHigh' | 'addressLow' | 'session' | 'reference' | 'amount';

/** Positions in a template where decimal digits are written, with leading zeros. */
interface Digits {
  readonly of: Source;
  readonly at: number;
  readonly width: number;
}

interface Template {
  readonly bytes: Buffer;
  readonly digits: readonly Digits[];
  /** Absent in logins and logouts. */
  readonly timeAt: number | undefined;
}

/**
 * Writes complete HTTP/1.1 requests into a buffer: the text is serialised once, and only the digits that differ are
 * written per request (about a microsecond), so that the generator uses little of the machine that it measures.
 */
export class RequestWriter {
  readonly #traffic: Traffic;
  readonly #login: Template;
  readonly #payment: Template;
  readonly #inquiry: Template;
  readonly #marked: Template;
  readonly #logout: Template;
  readonly #aboutSession: Template;
  readonly #aboutOperation: Template;
  #time = '';
  #timeMs = -1;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
    this.#login = template(traffic, 'login', login());
    this.#payment = template(traffic, 'operation', payment('transfer'));
    this.#inquiry = template(traffic, 'operation', inquiry());
    this.#marked = template(traffic, 'operation', payment('benchmark-marked'));
    this.#logout = template(traffic, 'logout', logout());
    this.#aboutSession = template(traffic, 'status', aboutSession());
    this.#aboutOperation = template(traffic, 'status', aboutOperation());
  }

  /**
   * Writes request number `serial` at the start of `into`.
   * @returns its length in bytes
   */
  fill(into: Buffer, serial: number, nowMs: number): number {
    const { clients, firstClient = 0, width, run } = this.#traffic;
    const visit = Math.floor(serial / (width * visitSteps)) * width + (serial % width);
    const client = firstClient + (visit % clients);
    const numbers: Readonly<Record<Source, number>> = {
      client,
      payee: this.#payeeOf(serial, client),
      addressHigh: Math.floor(client / 1_000),
      addressLow: client % 1_000,
      session: run * serialsPerRun + visit,
      reference: run * serialsPerRun + serial,
      amount: 100 + ((serial * 37) % 900),
    };
    const { bytes, digits, timeAt } = this.#choose(serial);
    bytes.copy(into);
    for (const place of digits) writeDigits(into, place, numbers[place.of]);
    if (timeAt !== undefined) into.write(this.#isoTime(nowMs), timeAt, 'latin1');
    return bytes.length;
  }

  #choose(serial: number): Template {
    const step = this.#stepOf(serial);
    if (this.#traffic.asks === true) return step % (visitSteps - 1) === 0 ? this.#aboutSession : this.#aboutOperation;
    if (step === 0) return this.#login;
    if (step === visitSteps - 1) return this.#logout;
    if (this.isMarked(serial)) return this.#marked;
    return step > visitSteps - 2 - this.#traffic.payments ? this.#payment : this.#inquiry;
  }

  #stepOf(serial: number): number {
    return Math.floor(serial / this.#traffic.width) % visitSteps;
  }

  /** Whether request number `serial` is an operation that requests an action; these are spread over the visits. */
  isMarked(serial: number): boolean {
    const { markEvery } = this.#traffic;
    const step = this.#stepOf(serial);
    return markEvery > 0 && (serial + step) % markEvery === 0 && step !== 0 && step !== visitSteps - 1;
  }

  /** Neighbouring requests alternate between the client's own payee and one that is spread over all. */
  #payeeOf(serial: number, client: number): number {
    const { payees } = this.#traffic;
    if (payees === undefined || (serial + this.#stepOf(serial)) % 2 === 0) return client;
    return (Math.imul(serial + 1, spread) >>> 0) % payees;
  }

  #isoTime(nowMs: number): string {
    if (nowMs !== this.#timeMs) {
      this.#timeMs = nowMs;
      this.#time = new Date(nowMs).toISOString();
    }
    return this.#time;
  }
}

/** The `transaction.reference` of request number `serial`. */
export function referenceOf(run: number, serial: number): string {
  return `r${String(run * serialsPerRun + serial).padStart(12, '0')}`;
}

/** The digits before these nine distinguish the run. */
const serialsPerRun = 1_000_000_000;

/** Placeholder for a character that is overwritten; it occurs nowhere else in a request. */
const blank = '~';
/** Positions that are overwritten, each preceded by its own letter. */
const place = {
  client: `c${blank.repeat(6)}`,
  session: `s${blank.repeat(12)}`,
  reference: `r${blank.repeat(12)}`,
  amount: `9${blank.repeat(3)}.25`,
  address: `2001:db8::1${blank.repeat(3)}:2${blank.repeat(3)}`,
  account: `0121800${blank.repeat(6)}4567`,
  payee: `0021800${blank.repeat(6)}4321`,
  time: blank.repeat('2026-01-01T00:00:00.000Z'.length),
};

/** The marker before a run of placeholders, and what is written over them. */
const leads: readonly (readonly [string, Source])[] = [
  ['c', 'client'],
  ['s', 'session'],
  ['r', 'reference'],
  ['9', 'amount'],
  ['::1', 'addressHigh'],
  [':2', 'addressLow'],
  ['0121800', 'client'],
  ['0021800', 'payee'],
];

function login(): string {
  return JSON.stringify({
    channelId: 1,
    user: place.client,
    session: place.session,
    publicIp: place.address,
    data: '',
  });
}

function logout(): string {
  return JSON.stringify({ channelId: 1, user: place.client, session: place.session });
}

function aboutSession(): string {
  return JSON.stringify({ user: place.client, session: place.session, channelId: 1 });
}

function aboutOperation(): string {
  return JSON.stringify({ user: place.client, reference: place.reference });
}

/** All members of the interface's example. Every client has an account and a payee. */
function payment(category: string): string {
  return JSON.stringify({
    channelId: 1,
    timestamp: place.time,
    transaction: {
      category,
      type: 'spei',
      description: 'Monthly rent, flat 3',
      reference: place.reference,
      details: { concept: 'rent', branch: '0042' },
    },
    account: {
      client: place.client,
      clientRefId: 77,
      email: 'person@example.org',
      phoneNumber: '+525512345678',
      session: place.session,
      accountNumber: place.account,
      bank: 'BANK-A',
    },
    order: { amount: 0, currency: 'MXN' },
    accountTo: { client: 'payee', accountNumber: place.payee, bank: 'BANK-B' },
    debitFrom: { account: place.account, bank: 'BANK-A', currency: 'MXN' },
    creditTo: { account: place.payee, bank: 'BANK-B', currency: 'MXN' },
    creditCard: { bin: '415231', last4Digits: '0001', token: 'tok-1' },
  }).replace('"amount":0', `"amount":${place.amount}`);
}

/** A balance inquiry: no money moves. */
function inquiry(): string {
  return JSON.stringify({
    channelId: 1,
    timestamp: place.time,
    transaction: { category: 'inquiry', type: 'balance', description: 'Balance', reference: place.reference },
    account: { client: place.client, session: place.session, accountNumber: place.account, bank: 'BANK-A' },
  });
}

function template(traffic: Traffic, kind: string, body: string): Template {
  const head = [
    `POST ${traffic.pathPrefix}/${kind} HTTP/1.1`,
    `Host: ${traffic.host}`,
    `Authorization: Bearer ${traffic.token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(traffic.waitSeconds === undefined ? [] : [`Prefer: wait=${traffic.waitSeconds}`]),
  ];
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  assert(bytes.length < requestBytesMax, 'a request fits its buffer');
  return {
    bytes,
    digits: digitsOf(bytes),
    timeAt: bytes.includes(place.time) ? bytes.indexOf(place.time) : undefined,
  };
}

/** All runs of placeholders except that of the time, by their markers. */
function digitsOf(bytes: Buffer): readonly Digits[] {
  return leads.flatMap(([lead, of]) => {
    const found: Digits[] = [];
    for (let at = bytes.indexOf(lead + blank); at >= 0; at = bytes.indexOf(lead + blank, at + 1)) {
      const from = at + lead.length;
      let end = from;
      while (bytes[end] === blank.charCodeAt(0)) end++;
      found.push({ of, at: from, width: end - from });
    }
    return found;
  });
}

function writeDigits(into: Buffer, { at, width }: Digits, value: number): void {
  let rest = value;
  for (let i = at + width - 1; i >= at; i--) {
    into[i] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

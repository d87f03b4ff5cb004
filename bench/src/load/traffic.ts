import { assert } from '@ringfence/contract';

/** What is sent, by arithmetic alone: request number `i` is the same in every process and every round. */
export interface Traffic {
  readonly host: string;
  readonly token: string;
  /** `/api/v5/analytics/app` or the like. */
  readonly pathPrefix: string;
  /** Clients that take turns, at most 999,999. */
  readonly clients: number;
  /** Visits under way at the same time: the requests between two steps of one visit. */
  readonly width: number;
  /** Every so many operations one is marked (`transaction.category` is `benchmark-marked`); 0 for none. */
  readonly markEvery: number;
  /** Told apart from other runs on the same service, 0 to 999. */
  readonly run: number;
  /** Every request asks for its decision, and waits for it so long (`Prefer: wait=N`). Left out: none does. */
  readonly waitSeconds?: number;
}

/** A visit: a login, eight operations, a logout. */
const visitSteps = 10;
/** Bytes; the largest request that `fill` writes is below this. */
export const requestBytesMax = 2_048;

/** Where in a template decimal digits are written, with leading zeros. */
interface Digits {
  readonly at: number;
  readonly width: number;
}

interface Template {
  readonly bytes: Buffer;
  readonly client: Digits;
  readonly session: Digits;
  /** Absent in logins and logouts, as are amount and time. */
  readonly reference: Digits | undefined;
  readonly amount: Digits | undefined;
  readonly timeAt: number | undefined;
}

/**
 * Writes ready HTTP/1.1 requests into a buffer: the text is serialised once, and only the digits that differ are
 * written per request (about a microsecond), so that the generator takes little of the machine it measures on.
 */
export class RequestWriter {
  readonly #traffic: Traffic;
  readonly #login: Template;
  readonly #operation: Template;
  readonly #marked: Template;
  readonly #logout: Template;
  #time = '';
  #timeMs = -1;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
    this.#login = template(traffic, 'login', login());
    this.#operation = template(traffic, 'operation', operation('transfer'));
    this.#marked = template(traffic, 'operation', operation('benchmark-marked'));
    this.#logout = template(traffic, 'logout', logout());
  }

  /** Writes request number `serial` into the start of `into`, and answers its length in bytes. */
  fill(into: Buffer, serial: number, nowMs: number): number {
    const { clients, width, run } = this.#traffic;
    const step = Math.floor(serial / width) % visitSteps;
    const visit = Math.floor(serial / (width * visitSteps)) * width + (serial % width);
    const chosen =
      step === 0
        ? this.#login
        : step === visitSteps - 1
          ? this.#logout
          : this.isMarked(serial)
            ? this.#marked
            : this.#operation;

    chosen.bytes.copy(into);
    writeDigits(into, chosen.client, visit % clients);
    writeDigits(into, chosen.session, run * serialsPerRun + visit);
    if (chosen.reference !== undefined) writeDigits(into, chosen.reference, run * serialsPerRun + serial);
    if (chosen.amount !== undefined) writeDigits(into, chosen.amount, 100 + ((serial * 37) % 900));
    if (chosen.timeAt !== undefined) into.write(this.#isoTime(nowMs), chosen.timeAt, 'latin1');
    return chosen.bytes.length;
  }

  /** Whether request number `serial` is an operation that asks for an action. */
  isMarked(serial: number): boolean {
    const { width, markEvery } = this.#traffic;
    const step = Math.floor(serial / width) % visitSteps;
    return markEvery > 0 && serial % markEvery === 0 && step !== 0 && step !== visitSteps - 1;
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

/** Told apart from other runs by the digits before these nine. */
const serialsPerRun = 1_000_000_000;

/** Stands where a character is written over; it occurs nowhere else in a request. */
const blank = '~';
/** Places that are written over, each led by a letter of its own. */
const place = {
  client: `c${blank.repeat(6)}`,
  session: `s${blank.repeat(12)}`,
  reference: `r${blank.repeat(12)}`,
  amount: `9${blank.repeat(3)}.25`,
  time: blank.repeat('2026-01-01T00:00:00.000Z'.length),
};

function login(): string {
  return JSON.stringify({
    channelId: 1,
    user: place.client,
    session: place.session,
    publicIp: '203.0.113.77',
    data: '',
  });
}

function logout(): string {
  return JSON.stringify({ channelId: 1, user: place.client, session: place.session });
}

/** All members that the interface's example has. */
function operation(category: string): string {
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
      accountNumber: '012180001234567897',
      bank: 'BANK-A',
    },
    order: { amount: 0, currency: 'MXN' },
    accountTo: { client: 'payee', accountNumber: '002180009876543210', bank: 'BANK-B' },
    debitFrom: { account: '012180001234567897', bank: 'BANK-A', currency: 'MXN' },
    creditTo: { account: '002180009876543210', bank: 'BANK-B', currency: 'MXN' },
    creditCard: { bin: '415231', last4Digits: '0001', token: 'tok-1' },
  }).replace('"amount":0', `"amount":${place.amount}`);
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
    client: { at: bytes.indexOf(place.client) + 1, width: 6 },
    session: { at: bytes.indexOf(place.session) + 1, width: 12 },
    reference: digitsAt(bytes, place.reference, 12),
    amount: digitsAt(bytes, place.amount, 3),
    timeAt: bytes.includes(place.time) ? bytes.indexOf(place.time) : undefined,
  };
}

/** The blanks after the letter that leads them. */
function digitsAt(bytes: Buffer, text: string, width: number): Digits | undefined {
  const at = bytes.indexOf(text);
  return at < 0 ? undefined : { at: at + 1, width };
}

function writeDigits(into: Buffer, { at, width }: Digits, value: number): void {
  let rest = value;
  for (let i = at + width - 1; i >= at; i--) {
    into[i] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

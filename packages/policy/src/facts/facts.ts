import type { EventKind } from '@ringfence/contract';
import { enrichmentFacts } from './enrichment-facts.ts';
import { all, entry, type FactRow, operation } from './fact-row.ts';
import { outcomeMemoryFacts, outcomeRows } from './outcome-facts.ts';
import { rememberedFacts } from './remembered-facts.ts';
import type { FactType } from './fact-value.ts';
import {
  fromZero,
  hours,
  latitudes,
  longitudes,
  type NumberRange,
  percents,
  versions,
  weekdays,
} from './number-range.ts';
import { addresses, type TextShape, textShape } from './text-shape.ts';

/**
 * The source of a fact. `wire`: a member of the body, under the wire's own name. `engine`: derived by the engine from
 * sessions, clients and time. `enrichment`: an enrichment fact, derived once before the event was stored and kept in its
 * record (`DoorFacts.facts`, by path). `outcome`: a member of a reported outcome, which only features read.
 */
export type FactSource = 'wire' | 'engine' | 'enrichment' | 'outcome';

/** A property of an event that a rule, a feature or a message may read. */
export interface FactDefinition {
  readonly path: string;
  readonly type: FactType;
  /** Kinds of event that can have it. On all others it is missing. */
  readonly on: ReadonlySet<EventKind>;
  readonly source: FactSource;
  /** One or more sentences for the analyst, exact enough to implement the fact. */
  readonly doc: string;
  /** It is an IP address; a list of these may have ranges among its items. */
  readonly isAddress?: true;
  /** All values that a string fact can take, if they are known. A comparison with another one is a mistake. */
  readonly values?: readonly string[];
  /** All values that a whole number can take, if there are few. A comparison with another one is warned of. */
  readonly range?: NumberRange;
  /** The most UTF-16 units that it has. Unbounded for texts without it. */
  readonly lengthMax?: number;
  /**
   * The common form of its texts, if not all values are known. A comparison with a text of another form is warned of.
   */
  readonly shape?: TextShape;
  /** It can be "", and not only missing. */
  readonly mayBeEmpty?: true;
}

/** Members of the bodies. An optional member that is absent, null or "" is missing. */
const wire: readonly FactRow[] = [
  [all, 'channelId', 'int', 'The digital channel.'],
  [entry, 'user', 'string', 'The user who logged in or out. `client.id` is the same, and operations have it too.'],
  [
    entry,
    'publicIp',
    'string',
    'Public IP address in canonical form, as in `ip.address`. A text that is no address is kept as it was sent; `ip.valid` tells the two apart.',
  ],
  [entry, 'data', 'string', 'Encrypted device information, as it was sent; on login "" when the device SDK failed.'],
  [
    operation,
    'timestamp',
    'timestamp',
    "The operation's own time: `timestamp`, or `transaction.date` when only that was sent. For logins see `event.at`.",
  ],
  [operation, 'transaction.category', 'string', 'Kind of operation, free text.'],
  [operation, 'transaction.type', 'string', 'Type of operation, for example a transfer scheme.'],
  [operation, 'transaction.description', 'string', 'Description.'],
  [operation, 'transaction.reference', 'string', 'Operation reference.'],
  [operation, 'transaction.date', 'string', 'Date and time, as it was sent; `timestamp` is the same as an instant.'],
  [
    operation,
    'transaction.details',
    'map',
    'Further details: `transaction.details["key"]`; a key that is not there is missing.',
  ],
  [operation, 'account.client', 'string', 'The client. `client.id` is the same, and logins and logouts have it too.'],
  [operation, 'account.clientRefId', 'int', "The client's reference number."],
  [operation, 'account.clientRefIdStr', 'string', "The client's reference as text."],
  [operation, 'account.email', 'string', "The client's e-mail address."],
  [operation, 'account.phoneNumber', 'string', "The client's phone number."],
  [
    operation,
    'account.session',
    'string',
    'The session. `session.id` is the same, and logins and logouts have it too.',
  ],
  [operation, 'account.accountNumber', 'string', 'Account number of the client.'],
  [operation, 'account.bank', 'string', 'Bank of the client.'],
  [operation, 'order.amount', 'decimal', 'Amount, exact to 12 places.'],
  [
    operation,
    'order.amountText',
    'string',
    'The digits of the amount exactly as they were sent, for example `10.10`; messages print them.',
  ],
  [operation, 'order.currency', 'string', 'Currency code, in capitals.'],
  [operation, 'accountTo.client', 'string', 'The receiving client.'],
  [operation, 'accountTo.accountNumber', 'string', 'The receiving account number. `payee.id` names the payee.'],
  [operation, 'accountTo.bank', 'string', 'The receiving bank.'],
  [operation, 'debitFrom.account', 'string', 'Account that is debited.'],
  [operation, 'debitFrom.bank', 'string', 'Bank of the account that is debited.'],
  [operation, 'debitFrom.currency', 'string', 'Currency of the account that is debited.'],
  [operation, 'creditTo.account', 'string', 'Account that is credited.'],
  [operation, 'creditTo.bank', 'string', 'Bank of the account that is credited.'],
  [operation, 'creditTo.currency', 'string', 'Currency of the account that is credited.'],
  [operation, 'creditCard.bin', 'string', "The card's issuer number (BIN)."],
  [
    operation,
    'creditCard.hash',
    'string',
    "A keyed hash of the card's hash: it can be counted, but not compared with the hash that was sent.",
  ],
  [operation, 'creditCard.last4Digits', 'string', 'Last four digits of the card.'],
  [operation, 'creditCard.token', 'string', 'Token of the card.'],
];

/**
 * Facts derived by the engine. Durations of sessions, clients and blocks run on the time of the log (`event.loggedAt`)
 * and are never negative. The session of an event is the one identified by its `channelId`, client and session;
 * sessions of other clients and channels are never used. The wire's `session` is `session.id` here, because one word
 * can't be a value and a group of facts.
 */
const engine: readonly FactRow[] = [
  [all, 'event.kind', 'string', 'Which of the three events it is.', all],
  [
    all,
    'event.at',
    'timestamp',
    "The event's time, which features use: its own time if it is plausible (at most 24 h before `event.loggedAt` and at most 5 min after it), otherwise `event.loggedAt`. It is never after `event.loggedAt`: a clock that is ahead does not move an event into the future.",
  ],
  [
    all,
    'event.hour',
    'int',
    "The hour of `event.at`, 0 to 23, in the workspace's time zone. Missing if `event.timeKnown` is false.",
  ],
  [
    all,
    'event.weekday',
    'int',
    "The day of the week of `event.at`, 0 (Sunday) to 6, in the workspace's time zone. Missing if `event.timeKnown` is false.",
  ],
  [all, 'event.loggedAt', 'timestamp', 'When Ringfence received it.'],
  [
    all,
    'event.timeStated',
    'bool',
    "Whether `event.at` is the event's own time. False if it states none, or one that is not plausible.",
  ],
  [
    all,
    'event.timeKnown',
    'bool',
    'Whether it is known when the event happened. True if `event.timeStated` is, and for an event that states no time or only the day of its arrival: it is sent as it happens. False if it states any other time that is not plausible, as in a replay of old events.',
  ],
  [
    all,
    'event.repeats',
    'int',
    'How many byte-equal events of the same client were applied in the 24 h before it; 0 for the first. Retries are not applied and not counted.',
  ],
  [
    all,
    'event.score',
    'int',
    "The sum of the scores of the rules that fired live on this event in earlier groups; 0 in the first group. Rules and messages can read it, features can't.",
  ],
  [
    all,
    'client.id',
    'string',
    "The client's name: `user` of login and logout, `account.client` of an operation. Missing on an operation without a client.",
  ],
  [all, 'client.known', 'bool', 'Whether an earlier event of this client was seen.'],
  [all, 'client.firstSeen', 'duration', 'Time since the first event of this client; 0s on that event.'],
  [all, 'client.lastSeen', 'duration', 'Time since the event of this client before this one; missing on the first.'],
  [all, 'client.logins', 'int', 'All logins of this client, this event included.'],
  [all, 'client.operations', 'int', 'All operations of this client, this event included.'],
  [all, 'client.sessionsOpen', 'int', 'Active sessions of this client in all channels, after this event.'],
  [
    all,
    'client.blocked',
    'bool',
    'Whether an executed action 1 (block user) is in force, as of just before this event.',
  ],
  [all, 'client.blockedFor', 'duration', 'Time since that block began; missing if the client is not blocked.'],
  [
    all,
    'client.heldPayments',
    'int',
    'Payments of this client that are held, as of just before this event; a repeat of a held payment counts with it as one.',
  ],
  [operation, 'client.heldAmount', 'decimal', 'The sum of these payments in the currency of this operation.'],
  [operation, 'payee.heldPayments', 'int', 'Held payments of all clients to this payee, as of just before this event.'],
  [operation, 'payee.heldAmount', 'decimal', 'The sum of these payments in the currency of this operation.'],
  [
    all,
    'session.id',
    'string',
    'The session: `session` of login and logout, `account.session` of an operation. Missing for the unnamed session.',
  ],
  [
    operation,
    'session.required',
    'bool',
    'Whether the channel expects its operations to belong to a session (channel setting `sessions`).',
  ],
  [
    operation,
    'session.matched',
    'bool',
    'Whether the operation belongs to an active session: same `channelId`, client and session.',
  ],
  [
    operation,
    'session.mismatch',
    'string',
    'Why it belongs to none; "none" if it is matched.',
    ['none', 'noLogin', 'otherClient', 'otherChannel', 'closed', 'expired'],
  ],
  [
    all,
    'session.active',
    'bool',
    'Whether the session was active just before this event: true on a login to a session that is already open.',
  ],
  [
    all,
    'session.openedAt',
    'timestamp',
    'When the session was opened, by `event.at` of its login, even if it is closed by now; missing if no such session is known.',
  ],
  [
    all,
    'session.age',
    'duration',
    'Time from `session.openedAt` to `event.at`; 0s on the login that opens it, and on an event up to 5 min before it, because clocks differ. Missing on an earlier one, if `event.timeKnown` is false, and if no such session is known.',
  ],
  [
    all,
    'session.idle',
    'duration',
    'Time since the event of this session before this one; 0s on the login that opens it; missing if no such session is known.',
  ],
  [
    all,
    'session.logins',
    'int',
    'Logins since the session was opened, this event included; 1 on the login that opens it, 0 if no such session is known.',
  ],
  [
    all,
    'session.operations',
    'int',
    'Operations matched to the session, this event included; 0 if no such session is known.',
  ],
  [
    all,
    'session.ip',
    'string',
    '`publicIp` of the login that opened the session; missing if no such session is known.',
  ],
  [
    all,
    'session.subnet',
    'string',
    '`ip.subnet` of the login that opened the session; missing if no such session is known, or its `publicIp` is no address.',
  ],
  [
    all,
    'session.ipChanged',
    'bool',
    'Whether a login or logout of this session, this event included, came from another `publicIp` than the login that opened it. False if no such session is known. A device changes its IPv6 address within its `ip.subnet`: see `session.subnetChanged`.',
  ],
  [
    all,
    'session.closedBy',
    'string',
    'What ended the session, as of just before this event: a logout, an executed action 2 (close session), idle expiry or absolute expiry; "none" if it is active or unknown.',
    ['none', 'logout', 'action', 'idle', 'absolute'],
  ],
  [
    all,
    'session.closedAt',
    'timestamp',
    'When the session ended, as of just before this event; missing if it is active or unknown.',
  ],
  [
    all,
    'session.closedFor',
    'duration',
    'Time since the session ended, as of just before this event; missing if it is active or unknown.',
  ],
  [
    all,
    'workspace.timezone',
    'string',
    'The time zone of the workspace, an IANA name; `hour`, `weekday` and `timeOfDay` use it.',
  ],
  [
    operation,
    'payee.id',
    'string',
    'The payee: `bank/accountNumber` of `accountTo`, otherwise `bank/account` of `creditTo`; an absent bank is left empty (`/123`). Missing without an account number.',
  ],
  [
    entry,
    'device.reported',
    'bool',
    'Whether the event carried device data: `data` was neither absent nor "". Missing in a channel with `device: none`.',
  ],
];

/** Numbers that are never below 0, in addition to all durations. */
const counted: readonly string[] = [
  'event.repeats',
  'event.score',
  'client.logins',
  'client.operations',
  'client.sessionsOpen',
  'client.stepUpsFailed',
  'client.heldPayments',
  'payee.heldPayments',
  'session.logins',
  'session.operations',
  'ip.asn',
  'ip.accuracyKm',
  'device.logins',
  'device.browserVersion',
  'device.browserBehind',
  'travel.km',
  'travel.hours',
  'travel.kmh',
];

const ranges: ReadonlyMap<string, NumberRange> = new Map<string, NumberRange>([
  ['event.hour', hours],
  ['event.weekday', weekdays],
  ['device.score', percents],
  ['ip.version', versions],
  ['ip.latitude', latitudes],
  ['ip.longitude', longitudes],
  ...counted.map((path) => [path, fromZero] as const),
]);

function define(source: FactSource, rows: readonly FactRow[]): FactDefinition[] {
  return rows.map(([on, path, type, doc, values]) => {
    const range = ranges.get(path) ?? (type === 'duration' ? fromZero : undefined);
    const shape = textShape(path);
    return {
      path,
      type,
      on: new Set(on),
      source,
      doc,
      ...(values === undefined ? {} : { values }),
      ...(range === undefined ? {} : { range }),
      ...(shape === undefined ? {} : { shape }),
      ...(path === 'data' ? { mayBeEmpty: true as const } : {}),
      ...(addresses.has(path) ? { isAddress: true as const } : {}),
      ...lengthOf(path, { type, values }),
    };
  });
}

/** Maximum characters of a name on the wire, of a session, and of a public address. */
const nameLengthMax = 256;
const sessionLengthMax = 1_024;
const addressLengthMax = 512;
/** A character of a text is two UTF-16 units at most. */
const unitsMax = 2;

/** Texts that may be longer than a name; the bounds are those of the wire's schema. */
const longTexts: Readonly<Record<string, number | undefined>> = {
  'transaction.description': undefined,
  data: undefined,
  'account.session': unitsMax * sessionLengthMax,
  'session.id': unitsMax * sessionLengthMax,
  publicIp: unitsMax * addressLengthMax,
  'session.ip': unitsMax * addressLengthMax,
  'payee.id': unitsMax * (2 * nameLengthMax + 1),
};

/** Texts of the device token that are cut to this length when it is opened: 512 units, as two for each character of a name. */
const shownByBrowser: ReadonlySet<string> = new Set(
  ['timezone', 'languages', 'platform', 'userAgent', 'screen', 'os', 'browser'].map((name) => `device.${name}`),
);

/** Bounds of the wire's texts, of names that the engine derives from them, and of texts with known values. */
function lengthOf(
  path: string,
  { type, values }: Pick<FactDefinition, 'type'> & { readonly values: readonly string[] | undefined },
): { readonly lengthMax?: number } {
  if (type !== 'string' || (path.startsWith('device.') && !shownByBrowser.has(path))) return {};
  if (values !== undefined) return { lengthMax: Math.max(...values.map(({ length }) => length)) };
  const lengthMax = path in longTexts ? longTexts[path] : unitsMax * nameLengthMax;
  return lengthMax === undefined ? {} : { lengthMax };
}

/** Every fact that a policy may read, except features. The reference page is generated from it. */
export const factDefinitions: readonly FactDefinition[] = [
  ...define('wire', wire),
  ...define('engine', engine),
  ...define('engine', outcomeMemoryFacts),
  ...define('enrichment', enrichmentFacts),
  ...define('engine', rememberedFacts),
];

/** Facts of reported outcomes. No event has them. */
export const outcomeFactDefinitions: readonly FactDefinition[] = define('outcome', outcomeRows);

const byPath: ReadonlyMap<string, FactDefinition> = new Map(factDefinitions.map((fact) => [fact.path, fact]));

/** The fact of this path, or `undefined` if there is none. */
export function factDefinition(path: string): FactDefinition | undefined {
  return byPath.get(path);
}

const ofOutcomes: ReadonlyMap<string, FactDefinition> = new Map(
  outcomeFactDefinitions.map((fact) => [fact.path, fact]),
);

/** The fact of a reported outcome, or `undefined` if there is none of this path. */
export function outcomeFact(path: string): FactDefinition | undefined {
  return ofOutcomes.get(path);
}

/** A fact that a feature may read: of events, or of outcomes. */
export function featureFact(path: string): FactDefinition | undefined {
  return byPath.get(path) ?? ofOutcomes.get(path);
}

/** Facts that every event has, so testing their presence is pointless. */
export const alwaysThere: ReadonlySet<string> = new Set([
  'channelId',
  'event.kind',
  'event.at',
  'event.loggedAt',
  'event.timeStated',
  'event.timeKnown',
  'event.repeats',
  'event.score',
  'session.active',
  'session.logins',
  'session.operations',
  'session.ipChanged',
  'session.closedBy',
  'session.stepUpPassed',
  'workspace.timezone',
]);

/** Synonyms for the client. State kept by any of them is kept by the client's random id. */
export const clientPaths: ReadonlySet<string> = new Set(['account.client', 'user', 'client.id']);

/** Facts computed by the rules: 0 until the first rule has fired, and features are counted before. */
export const scorePath = 'event.score';

/**
 * Facts that are amounts of money, with the fact that contains their currency. Features over them are kept per
 * currency.
 */
export const currencyOf: ReadonlyMap<string, string> = new Map([
  ['order.amount', 'order.currency'],
  ['outcome.loss', 'outcome.currency'],
  ['outcome.recovered', 'outcome.currency'],
]);

/** Facts whose original text is kept as well, for messages that show them exactly as they were sent. */
export const textOf: ReadonlyMap<string, string> = new Map([['order.amount', 'order.amountText']]);

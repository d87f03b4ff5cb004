import { type DecimalText, type Enrichment, type EpochMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { factDefinitions } from '@ringfence/policy';
import type { EngineRecord, EventRecord } from '../../src/record.ts';
import { tokenFacts, traitsOf } from '../devices/device-makers.ts';
import { type Body, subjectOf } from '../log-builder.ts';
import { pick, type Random } from '../prng.ts';

/** What a new event may depend on. */
export interface EventsSoFar {
  readonly records: readonly EngineRecord[];
  readonly nowMs: number;
}

export function user(random: Random): string {
  return pick(random, ['ana', 'bob', 'eva', 'joe']);
}

/** Sends an event again, with its key or without. */
export function repeated(random: Random, records: readonly EngineRecord[]): Body<EventRecord> | undefined {
  const events = records.filter((record) => record.kind === 'event');
  const event: EventRecord | undefined = events.at(-1 - random(Math.min(6, events.length)));
  if (event === undefined) return undefined;
  const { offset, logTimeMs: _, ...body } = event;
  return random(3) === 0 ? { ...body, retryOf: offset } : body;
}

/** An event with the members that affect most decisions: client, session, address, amount, payee. */
export function plainEvent(random: Random, { records, nowMs }: EventsSoFar): Body<EventRecord> {
  const name = user(random);
  const channelId = 1 + random(2);
  const session = pick(random, [{}, { session: 's1' }, { session: `of ${name}` }]);
  const rest = {
    kind: 'event' as const,
    subject: subjectOf(name),
    bodyHash: `body ${records.length}`,
    retryOf: undefined,
  };
  const kind = random(10);
  if (kind < 2) {
    const publicIp = pick(random, ['192.0.2.1', '192.0.2.2']);
    return {
      ...rest,
      event: { kind: 'login', channelId, user: name, ...session, publicIp, data: '' },
      enrichment: { facts: {} },
    };
  }
  if (kind === 2)
    return { ...rest, event: { kind: 'logout', channelId, user: name, ...session }, enrichment: { facts: {} } };
  const named = random(20) > 0;
  const lateMs = pick(random, [0, 0, 0, secondMs, -secondMs, 3 * hourMs, 23 * hourMs, 30 * hourMs]);
  const digits = pick(random, ['5', '10.25', '60', '99.999999', '9007199254', '0.000001']);
  return {
    ...rest,
    event: {
      kind: 'operation',
      channelId,
      account: named ? { client: name, ...session } : { ...session },
      order: { amount: digits as DecimalText, currency: pick(random, ['EUR', 'EUR', 'MXN']) },
      accountTo: { bank: 'B', accountNumber: String(random(6)) },
      ...(random(2) === 0 ? {} : { transaction: { reference: `r${records.length}` } }),
    },
    enrichment: { facts: {}, statedAtMs: (nowMs - lateMs) as EpochMs },
    subject: named ? rest.subject : undefined,
  };
}

/** The same with all members of the wire format, a device, a place, and all other enrichment of a login. */
export function fullEvent(random: Random, past: EventsSoFar): Body<EventRecord> {
  const body = plainEvent(random, past);
  const { event } = body;
  switch (event.kind) {
    case 'login': {
      const facts = { ...foundOut(random, 'login'), ...deviceOf(random, event.user, past.records.length) };
      return { ...body, event: { ...event, data: pick(random, ['', 'token', 'token']) }, enrichment: { facts } };
    }
    case 'logout': {
      const more = random(2) === 0 ? {} : { publicIp: '192.0.2.3', data: 'token' };
      return { ...body, event: { ...event, ...more }, enrichment: { facts: foundOut(random, 'logout') } };
    }
    case 'operation':
      return { ...body, event: withMembers(random, event, past) };
  }
}

/** A login that ten people make in a history's first minutes, enough for their browser version to count as in use. */
export function crowdLogin(place: number): Body<EventRecord> {
  const name = `crowd ${place}`;
  const facts = {
    'device.state': 'present',
    'device.nonce': `crowd ${place}`,
    'device.browser': 'Chrome',
    'device.browserVersion': 140,
  };
  return {
    kind: 'event',
    event: { kind: 'login', channelId: 1, user: name, publicIp: '192.0.2.9', data: 'token' },
    enrichment: { facts },
    subject: subjectOf(name),
    bodyHash: `crowd ${place}`,
    retryOf: undefined,
  };
}

function withMembers(
  random: Random,
  event: Extract<EventRecord['event'], { kind: 'operation' }>,
  { nowMs }: EventsSoFar,
): Extract<EventRecord['event'], { kind: 'operation' }> {
  const maybe = <Member>(member: Member): Member | undefined => (random(3) > 0 ? member : undefined);
  const given = <Members extends object>(members: Members): { [Name in keyof Members]-?: NonNullable<Members[Name]> } =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
  const side = given({ account: maybe('12'), bank: maybe('C'), currency: maybe('USD') });
  return {
    ...event,
    ...given({ timestamp: maybe(new Date(nowMs).toISOString()) }),
    transaction: {
      ...event.transaction,
      ...given({
        category: maybe('transfer'),
        type: maybe('SPEI'),
        description: maybe(pick(random, ['rent', 'gift', 'a <b>bold</b> one'])),
        date: maybe('2025-10-09'),
        details: maybe({ note: pick(random, ['a', 'b']) }),
      }),
    },
    account: {
      ...event.account,
      ...given({
        clientRefId: maybe(7),
        clientRefIdStr: maybe('7'),
        email: maybe('a@example.com'),
        phoneNumber: maybe('555'),
        accountNumber: maybe('77'),
        bank: maybe('B'),
      }),
    },
    accountTo: { ...event.accountTo, ...given({ client: maybe('receiver') }) },
    debitFrom: side,
    creditTo: side,
    creditCard: given({ bin: maybe('400000'), hash: maybe('hash'), last4Digits: maybe('1234'), token: maybe('token') }),
  };
}

/** These facts come from a device or a place as a whole. */
const ofDevice = /^device\.(state|id|key|idFresh|nonce|unprovedId|components)$/;

/** A value, or none, for each fact of the enrichment. */
function foundOut(random: Random, kind: 'login' | 'logout'): Enrichment['facts'] {
  const facts: Record<string, string | number | boolean> = {};
  for (const { path, type, source, on, values } of factDefinitions) {
    if (source !== 'enrichment' || !on.has(kind) || ofDevice.test(path) || random(3) === 0) continue;
    facts[path] =
      type === 'bool'
        ? random(2) === 0
        : type === 'string'
          ? pick(random, values ?? texts(path))
          : pick(random, numbers[path] ?? [0, 1, 2]);
  }
  return facts;
}

function texts(path: string): readonly string[] {
  if (path === 'ip.country') return ['MX', 'US', 'DE'];
  if (path === 'device.browser') return ['Chrome', 'Chrome', 'Safari'];
  return [`${path} 1`, `${path} 2`];
}

const numbers: Readonly<Record<string, readonly number[]>> = {
  'ip.version': [4, 6],
  'ip.latitude': [19.4, 40.7, 52.5],
  'ip.longitude': [-99.1, -74, 13.4],
  'ip.accuracyKm': [5, 100],
  'device.age': [0, minuteMs],
  'device.browserVersion': [120, 138, 140],
  'device.timezoneOffset': [360, -60],
};

/** One of two devices of the client or a shared one: identified by its key, by its traits only, or not at all. */
function deviceOf(random: Random, name: string, offset: number): Enrichment['facts'] {
  const state = pick(random, ['present', 'present', 'present', 'present', 'absent', 'undecodable', 'stale', 'foreign']);
  if (state !== 'present') return { 'device.state': state };
  const device = pick(random, [`${name}'s phone`, `${name}'s phone`, `${name}'s laptop`, 'the thief']);
  const changed = random(4) === 0 ? { userAgent: `version ${random(3)}` } : {};
  const components = traitsOf(device, changed);
  // A repeated nonce makes the token a replayed one.
  const nonce = `n${random(8) === 0 ? random(40) : offset}`;
  switch (random(6)) {
    case 0:
      return tokenFacts({ nonce, components });
    case 1:
      return tokenFacts({ nonce, unprovedId: device, components });
    case 2:
      return tokenFacts({ nonce, id: device, key: 'another key', components, fresh: true });
    default:
      return tokenFacts({ nonce, id: device, key: `key of ${device}`, components });
  }
}

import { clientOf, sessionOf, subnetOf } from '@ringfence/contract';
import { type FactValue, hourOfDay, weekdayOf } from '@ringfence/policy';
import { sessionState } from '../sessions/session.ts';
import { eventEarlyMsMax } from '../limits.ts';
import type { EventContext } from './event-context.ts';
import { isTimeKnown } from './event-time.ts';
import { outcomeMemoryFacts } from './outcome-facts.ts';
import { payeeOf } from './payee.ts';
import type { FactReader } from './wire-facts.ts';

/*
 * Facts about sessions, clients and time, by path. The policy package's table of facts documents each. Durations are
 * in log time and never negative: an operation that waited can be older than its session.
 */

function sinceMs(context: EventContext, atMs: number | undefined): number | undefined {
  return atMs === undefined ? undefined : Math.max(0, loggedAtMs(context) - atMs);
}

function loggedAtMs({ arrival }: EventContext): number {
  return arrival.record.logTimeMs;
}

function operationOnly(read: FactReader): FactReader {
  return (context) => (context.event.kind === 'operation' ? read(context) : undefined);
}

/** Whether the event is the login that opens its session. */
function opens({ arrival, session }: EventContext): boolean {
  return session.after?.openedOffset === arrival.record.offset;
}

function countOf(context: EventContext, kind: 'login' | 'operation'): FactValue {
  if (clientOf(context.event) === undefined) return undefined;
  const before = kind === 'login' ? context.client?.logins : context.client?.operations;
  return (before ?? 0) + (context.event.kind === kind ? 1 : 0);
}

function sessionsOpen({ client, event, nowMs, session }: EventContext): FactValue {
  if (clientOf(event) === undefined) return undefined;
  const others = (client?.sessions.all ?? []).filter((other) => other !== session.before);
  const open = [...others, ...(session.after === undefined ? [] : [session.after])];
  return open.filter((one) => sessionState(one, nowMs) === 'active').length;
}

function isEnded({ session }: EventContext): boolean {
  return session.state !== 'none' && session.state !== 'active';
}

function endedAt(context: EventContext): number | undefined {
  const { before } = context.session;
  return before !== undefined && isEnded(context) ? before.endsAtMs : undefined;
}

function sessionIdleMs(context: EventContext): FactValue {
  return opens(context) ? 0 : sinceMs(context, context.session.before?.lastEventAtMs);
}

/**
 * Between the own times of both events. Clocks of servers differ by minutes, so a somewhat earlier operation counts as
 * made right after the login; of one that is older, or of unknown time, it is not known.
 */
function sessionAge(context: EventContext): FactValue {
  const openedAtMs = context.session.after?.openedAtMs;
  if (openedAtMs === undefined || !isTimeKnown(context)) return undefined;
  const ageMs = context.arrival.atMs - openedAtMs;
  return ageMs < -eventEarlyMsMax ? undefined : Math.max(0, ageMs);
}

/** Read only of an event whose time is known: the arrival of another one says nothing about its hour. */
function ofKnownTime(read: FactReader): FactReader {
  return (context) => (isTimeKnown(context) ? read(context) : undefined);
}

const clientFacts: Readonly<Record<string, FactReader>> = {
  'client.id': ({ event }) => clientOf(event),
  'client.known': ({ client, event }) =>
    clientOf(event) === undefined ? undefined : client?.firstSeenMs !== undefined,
  'client.firstSeen': (context) =>
    clientOf(context.event) === undefined ? undefined : (sinceMs(context, context.client?.firstSeenMs) ?? 0),
  'client.lastSeen': (context) => sinceMs(context, context.client?.lastSeenMs),
  'client.logins': (context) => countOf(context, 'login'),
  'client.operations': (context) => countOf(context, 'operation'),
  'client.sessionsOpen': sessionsOpen,
  'client.blocked': ({ client, event, nowMs }) =>
    clientOf(event) === undefined ? undefined : (client?.isBlocked(nowMs) ?? false),
  'client.blockedFor': (context) =>
    context.client?.isBlocked(context.nowMs) === true ? sinceMs(context, context.client.block?.atMs) : undefined,
};

const sessionFacts: Readonly<Record<string, FactReader>> = {
  'session.id': ({ event }) => sessionOf(event),
  'session.required': operationOnly(({ session }) => session.required),
  'session.matched': operationOnly(({ session }) => session.matched),
  'session.mismatch': operationOnly(({ session }) => session.mismatch ?? 'none'),
  'session.active': ({ session }) => session.state === 'active',
  'session.openedAt': ({ session }) => session.after?.openedAtMs,
  'session.age': sessionAge,
  'session.idle': sessionIdleMs,
  'session.logins': ({ session }) => session.after?.logins ?? 0,
  'session.operations': ({ session }) => session.after?.operations ?? 0,
  'session.ip': ({ session }) => session.after?.ip,
  'session.subnet': ({ session }) => (session.after === undefined ? undefined : subnetOf(session.after.ip)),
  'session.ipChanged': ({ session }) => session.after?.ipChanged ?? false,
  'session.closedBy': (context) => (isEnded(context) ? context.session.state : 'none'),
  'session.closedAt': endedAt,
  'session.closedFor': (context) => sinceMs(context, endedAt(context)),
};

export const engineFacts: Readonly<Record<string, FactReader>> = {
  ...clientFacts,
  ...sessionFacts,
  ...outcomeMemoryFacts,
  'event.kind': ({ event }) => event.kind,
  'event.at': ({ arrival }) => arrival.atMs,
  'event.hour': ofKnownTime(({ arrival, timezone }) => hourOfDay(arrival.atMs, timezone)),
  'event.weekday': ofKnownTime(({ arrival, timezone }) => weekdayOf(arrival.atMs, timezone)),
  'event.loggedAt': loggedAtMs,
  'event.timeStated': ({ arrival }) => arrival.timeStated,
  'event.timeKnown': isTimeKnown,
  // The score so far is filled in before each group of rules.
  'event.score': () => 0,
  'event.repeats': ({ arrival }) => arrival.repeats,
  'workspace.timezone': ({ timezone }) => timezone,
  'payee.id': ({ event }) => (event.kind === 'operation' ? payeeOf(event) : undefined),
  'device.reported': ({ event, channel }) =>
    event.kind === 'operation' || channel.device === 'none' ? undefined : event.data !== undefined && event.data !== '',
};

/** Mistakes that an integrator should correct although the event was accepted. */
import type { Enrichment, Event } from '@ringfence/contract';
import { eventEarlyMsMax, eventLateMsMax } from '@ringfence/engine/limits';

/** The content of an event, decrypted. */
export interface IndexedEvent {
  readonly event: Event;
  readonly facts: Enrichment['facts'];
  /** The event's own time, if it states one. */
  readonly statedAtMs?: number | undefined;
  /** As in `Enrichment`. */
  readonly referenceIndex?: string | undefined;
}

/** In display order, each with its meaning. */
export const warningCodes = [
  'timestamp.missing', // an operation without `timestamp`: `transaction.date` was used
  'timestamp.implausible', // of any event: more than a day old, in the future, or a date without a time: the time of arrival counts
  'client.missing', // an operation without a client
  'session.missing', // an operation without a session
  'session.unmatched', // an operation whose session has no login
  'channel.unknown', // a channel that is not configured
  'address.invalid', // a login whose `publicIp` is not an address
  'address.internal', // a login with an internal address: usually the bank's own proxy
  'device.absent', // a login without device data
  'device.unusable', // a login whose device token can't be decrypted, is too old, or belongs to another page
  'currency.missing', // an amount without its currency
] as const;
export type WarningCode = (typeof warningCodes)[number];

const internalKinds: ReadonlySet<unknown> = new Set(['private', 'shared', 'loopback', 'linkLocal']);
const unusableStates: ReadonlySet<unknown> = new Set(['undecodable', 'stale', 'foreign']);

/** Warnings from the event itself. An unknown channel and an unmatched session are determined from its row. */
export function warningsOf({ event, facts, statedAtMs }: IndexedEvent, loggedAtMs: number): readonly WarningCode[] {
  if (event.kind !== 'operation') {
    const isStale = statedAtMs !== undefined && !isPlausible(statedAtMs, loggedAtMs);
    return [...only('timestamp.implausible', isStale), ...(event.kind === 'login' ? loginWarnings(facts) : [])];
  }
  const { timestamp, account, order } = event;
  const isUseless = statedAtMs === undefined || !isPlausible(statedAtMs, loggedAtMs);
  return [
    ...only('timestamp.missing', timestamp === undefined),
    ...only('timestamp.implausible', isUseless),
    ...only('client.missing', account?.client === undefined),
    ...only('session.missing', account?.session === undefined),
    ...only('currency.missing', order?.amount !== undefined && order.currency === undefined),
  ];
}

function loginWarnings(facts: Enrichment['facts']): readonly WarningCode[] {
  const { 'ip.valid': isAddress, 'ip.kind': kind, 'device.state': device } = facts;
  return [
    ...only('address.invalid', isAddress === false),
    ...only('address.internal', internalKinds.has(kind)),
    ...only('device.absent', device === 'absent'),
    ...only('device.unusable', unusableStates.has(device)),
  ];
}

/** Whether an event's own time is worth no warning: it may be late by a day and early by minutes. */
export function isPlausible(statedAtMs: number, loggedAtMs: number): boolean {
  return statedAtMs >= loggedAtMs - eventLateMsMax && statedAtMs <= loggedAtMs + eventEarlyMsMax;
}

function only(code: WarningCode, isSo: boolean): readonly WarningCode[] {
  return isSo ? [code] : [];
}

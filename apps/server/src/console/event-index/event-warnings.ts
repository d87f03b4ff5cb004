/** What an integrator should mend although the event was accepted. */
import type { DoorFacts } from '@ringfence/contract';
import { eventEarlyMsMax, eventLateMsMax } from '@ringfence/engine';
import type { Said } from './opened-event.ts';

/** Each with what it is about, in the order in which they are shown. */
export const warningCodes = [
  'timestamp.missing', // an operation without `timestamp`: `transaction.date` was taken
  'timestamp.implausible', // its time is more than a day ago, ahead, or a day alone: the time of its arrival counts
  'client.missing', // an operation that names no client
  'session.missing', // an operation that names no session
  'session.unmatched', // an operation whose session is no login's
  'channel.unknown', // a channel that nobody configured
  'address.invalid', // a login whose `publicIp` is no address
  'address.internal', // a login with an address inside a network: the bank's own proxy, most often
  'device.absent', // a login without device data
  'device.unusable', // a login whose device token does not open, is too old, or another page's
  'currency.missing', // an amount without its currency
] as const;
export type WarningCode = (typeof warningCodes)[number];

const internalKinds: ReadonlySet<unknown> = new Set(['private', 'shared', 'loopback', 'linkLocal']);
const unusableStates: ReadonlySet<unknown> = new Set(['undecodable', 'stale', 'foreign']);

/** What an event says itself. That its channel is unknown and its session unmatched is told by its row. */
export function warningsOf({ event, facts, statedAtMs }: Said, loggedAtMs: number): readonly WarningCode[] {
  if (event.kind === 'logout') return [];
  if (event.kind === 'login') return loginWarnings(facts);
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

function loginWarnings(facts: DoorFacts['facts']): readonly WarningCode[] {
  const { 'ip.valid': isAddress, 'ip.kind': kind, 'device.state': device } = facts;
  return [
    ...only('address.invalid', isAddress === false),
    ...only('address.internal', internalKinds.has(kind)),
    ...only('device.absent', device === 'absent'),
    ...only('device.unusable', unusableStates.has(device)),
  ];
}

function isPlausible(statedAtMs: number, loggedAtMs: number): boolean {
  return statedAtMs >= loggedAtMs - eventLateMsMax && statedAtMs <= loggedAtMs + eventEarlyMsMax;
}

function only(code: WarningCode, isSo: boolean): readonly WarningCode[] {
  return isSo ? [code] : [];
}

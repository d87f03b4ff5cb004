/** What an integrator should mend although the event was accepted. */
import { eventEarlyMsMax, eventLateMsMax } from '@ringfence/engine';
import type { Workspace } from '../../workspaces/workspace.ts';
import type { FedEvent } from './fed-event.ts';

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

type Channels = Pick<Workspace, 'channels'>;

/** What is to be said of an event when it comes. Empty for one that can be read no more. */
export function warningsOf({ channels }: Channels, { row, opened }: FedEvent): readonly WarningCode[] {
  if (opened === undefined) return [];
  const { event, facts, statedAtMs } = opened;
  const unknown: readonly WarningCode[] = channels.has(event.channelId) ? [] : ['channel.unknown'];
  if (event.kind === 'logout') return unknown;
  if (event.kind === 'login') return [...unknown, ...loginWarnings(facts)];
  const { timestamp, account, order } = event;
  const isUseless = statedAtMs === undefined || !isPlausible(statedAtMs, row.logged_at.getTime());
  return [
    ...unknown,
    ...only('timestamp.missing', timestamp === undefined),
    ...only('timestamp.implausible', isUseless),
    ...only('client.missing', account?.client === undefined),
    ...only('session.missing', account?.session === undefined),
    ...only('currency.missing', order?.amount !== undefined && order.currency === undefined),
  ];
}

/** What is to be said of an event when it is decided. */
export function decidedWarnings({ row, opened }: FedEvent): readonly WarningCode[] {
  const names = opened?.event.kind === 'operation' ? opened.event.account?.session : undefined;
  return only('session.unmatched', row.mismatch !== null && names !== undefined);
}

function loginWarnings(facts: NonNullable<FedEvent['opened']>['facts']): readonly WarningCode[] {
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

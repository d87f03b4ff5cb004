import { type DoorFacts, type EpochMs, type Event, type Login, unreachable } from '@ringfence/contract';
import { deviceFacts } from '@ringfence/intel';
import { isIP } from 'node:net';
import type { Workspace } from '../workspaces/workspace.ts';

const noFacts: DoorFacts['facts'] = {};
const notAnAddress: DoorFacts['facts'] = { 'ip.valid': false };
const version4: DoorFacts['facts'] = { 'ip.valid': true, 'ip.version': 4 };
const version6: DoorFacts['facts'] = { 'ip.valid': true, 'ip.version': 6 };

/** What an event came into. */
export interface Surroundings {
  readonly workspace: Workspace;
  /** An operation's own instant. */
  readonly statedAtMs: EpochMs | undefined;
  readonly nowMs: number;
}

/** What the door finds out about an event, so that replay needs no clock, no time zones, no data files and no old keys. */
export function doorFactsOf(event: Event, { workspace, statedAtMs, nowMs }: Surroundings): DoorFacts {
  switch (event.kind) {
    case 'login':
      return { facts: { ...addressFacts(event.publicIp), ...tokenFacts(event, workspace, nowMs) } };
    case 'logout':
      return { facts: addressFacts(event.publicIp) };
    case 'operation':
      return statedAtMs === undefined ? { facts: noFacts } : { statedAtMs, facts: noFacts };
    default:
      return unreachable(event);
  }
}

/** None at all for a channel whose logins carry something else. */
function tokenFacts({ channelId, data }: Login, workspace: Workspace, nowMs: number): DoorFacts['facts'] {
  if (workspace.channels.get(channelId)?.device === 'none') return noFacts;
  const { secrets, settings } = workspace;
  return deviceFacts(data, { keys: secrets.deviceKeys, origins: settings.deviceOrigins ?? [], channelId, nowMs });
}

/** An address with a port, a list of addresses or anything else is no address. */
function addressFacts(publicIp: string | undefined): DoorFacts['facts'] {
  if (publicIp === undefined) return noFacts;
  switch (isIP(publicIp)) {
    case 4:
      return version4;
    case 6:
      return version6;
    default:
      return notAnAddress;
  }
}

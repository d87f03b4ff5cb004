import type { Enrichment, Event } from '@ringfence/contract';
import { deviceFacts } from '@ringfence/intel';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

/** Facts from the device token of a login. `undefined` if logins of the channel carry no token. */
export function tokenFacts(event: Event, workspace: Workspace, nowMs: number): Enrichment['facts'] | undefined {
  if (event.kind !== 'login') return undefined;
  const { channelId, data } = event;
  if (workspace.channels.get(channelId)?.device === 'none') return undefined;
  const { secrets, settings } = workspace;
  return deviceFacts(data, { keys: secrets.deviceKeys, origins: settings.deviceOrigins ?? [], channelId, nowMs });
}

import type { AwaitedAction, ClientEntity } from '../clients/client-entity.ts';
import { carriedPaths } from '../facts/carried-paths.ts';

const idPlace = carriedPaths.indexOf('device.id');

/** A step-up was executed: the device that the session of the action was on is trusted from now on. */
export function trustDevice(client: ClientEntity, { session: of }: AwaitedAction, nowMs: number): void {
  const session = of && client.sessions.findLife(of);
  const device = session?.carried?.[idPlace];
  if (device === undefined) return;
  client.devices = client.devices.map((known) => (known.id === device ? { ...known, trustedAtMs: nowMs } : known));
}

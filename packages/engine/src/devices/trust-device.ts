import type { AwaitedAction, ClientEntity } from '../clients/client-entity.ts';

/** A step-up was executed: the device that it was meant for is trusted from now on, if it is still known. */
export function trustDevice(client: ClientEntity, { device }: AwaitedAction, nowMs: number): void {
  if (device === undefined) return;
  client.devices = client.devices.map((known) => (known.id === device ? { ...known, trustedAtMs: nowMs } : known));
}

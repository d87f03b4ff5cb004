import type { AwaitedAction, ClientEntity } from '../clients/client-entity.ts';

/** A step-up was executed: the device that it was asked of is trusted from now on, as long as it is known. */
export function trustDevice(client: ClientEntity, { device }: AwaitedAction, nowMs: number): void {
  if (device === undefined) return;
  client.devices = client.devices.map((known) => (known.id === device ? { ...known, trustedAtMs: nowMs } : known));
}

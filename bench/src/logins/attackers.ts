/**
 * Attackers who know the password of a client, by how much they imitate the client:
 *
 * - `naive`: from abroad, with a device of their own
 * - `vpn`: over a VPN or a server in the client's country, with a device of their own
 * - `targeted`: over a line in the client's country, with the operating system and the browser that the client uses
 *   most, at an hour when people are awake
 */
import { hourMs } from '@ringfence/contract';
import type { Random } from '@ringfence/e2e';
import { type Client, localDayOf, type Seen, timeOn } from './people.ts';
import {
  addressIn,
  deviceWith,
  farCountries,
  newDevice,
  operatorOf,
  type OperatorKind,
  type Os,
  pickShare,
  pickZipf,
  regionOf,
} from './world.ts';

export const attackKinds = ['naive', 'vpn', 'targeted'] as const;
export type AttackKind = (typeof attackKinds)[number];

/** What attackers use. */
const systems = [
  ['Windows', 0.6],
  ['Android', 0.2],
  ['Linux', 0.15],
  ['macOS', 0.05],
] as const satisfies readonly (readonly [Os, number])[];
/** Of attackers from abroad, how many rent a server or a VPN; the others use a line at home. */
const naiveHosting = 0.6;

export interface Attack extends Seen {
  readonly atMs: number;
}

/** An attack on the day of one of the client's logins. */
export function attackOn(
  random: Random,
  kind: AttackKind,
  of: { readonly client: Client; readonly nearMs: number },
): Attack {
  const { client, nearMs } = of;
  const id = `thief-${kind}-${client.name}`;
  const day = localDayOf(nearMs);
  const anyTimeMs = nearMs - 12 * hourMs + random() * 24 * hourMs;
  const from = (country: string, operator: OperatorKind): Seen['line'] => {
    const rented = operatorOf(random, country, operator);
    return { operator: rented, address: addressIn(random, rented, regionOf(random)) };
  };
  const ownDevice = (): Seen['device'] => newDevice(random, pickShare<Os>(random, systems)[0], id);
  switch (kind) {
    case 'naive': {
      const country = pickZipf(
        random,
        farCountries.filter((other) => other !== client.country),
      );
      const line = from(country, random() < naiveHosting ? 'hosting' : 'home');
      return { device: ownDevice(), line, storedId: id, isFresh: true, atMs: anyTimeMs };
    }
    case 'vpn':
      return {
        device: ownDevice(),
        line: from(client.country, 'hosting'),
        storedId: id,
        isFresh: true,
        atMs: anyTimeMs,
      };
    case 'targeted': {
      const { os, browser } = client.owned.get('phone')!.device;
      const device = deviceWith(random, { os, browser, id });
      const line = from(client.country, random() < 0.5 ? 'home' : 'mobile');
      return { device, line, storedId: id, isFresh: true, atMs: timeOn(random, day, undefined) };
    }
  }
}

import { textHash } from '../bytes/text-hash.ts';
import { familiarAddressesMax, familiarCountriesMax, familiarNetworksMax } from '../limits.ts';
import type { Stop } from './travel.ts';

/** Where a client has logged in from: hashes of addresses, networks and countries, the most recently used last. */
export interface FamiliarPlaces {
  readonly addresses: readonly number[];
  readonly networks: readonly number[];
  readonly countries: readonly number[];
  /** The latest login with a known location, by the time of the event. */
  readonly stop: Stop | undefined;
}

export const nowhere: FamiliarPlaces = { addresses: [], networks: [], countries: [], stop: undefined };

/** The place of one login, as far as it is known. */
export interface Place {
  readonly address: string | undefined;
  readonly network: string | undefined;
  readonly country: string | undefined;
  /** `undefined` for an anonymous or hosted address, because the person is somewhere else. */
  readonly stop: Stop | undefined;
}

export function isFamiliar(among: readonly number[], name: string): boolean {
  return among.includes(textHash(name));
}

export function withPlace(places: FamiliarPlaces, { address, network, country, stop }: Place): FamiliarPlaces {
  return {
    addresses: withName(places.addresses, address, familiarAddressesMax),
    networks: withName(places.networks, network, familiarNetworksMax),
    countries: withName(places.countries, country, familiarCountriesMax),
    stop: laterOf(places.stop, stop),
  };
}

function laterOf(before: Stop | undefined, now: Stop | undefined): Stop | undefined {
  if (before === undefined || now === undefined) return now ?? before;
  return now.atMs < before.atMs ? before : now;
}

function withName(names: readonly number[], name: string | undefined, countMax: number): readonly number[] {
  if (name === undefined) return names;
  const hash = textHash(name);
  if (names.at(-1) === hash) return names;
  return [...names.filter((other) => other !== hash), hash].slice(-countMax);
}

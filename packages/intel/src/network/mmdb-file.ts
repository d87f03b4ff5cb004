import { Reader } from 'mmdb-lib';
import type { Address } from './address.ts';
import { printAddress } from './address.ts';
import type { NetworkKind } from './operator-kinds.ts';

/** What a database in MaxMind's format says of an address; what it leaves out is `undefined`. */
export interface MmdbEntry {
  readonly country: string | undefined;
  readonly asn: number | undefined;
  readonly organisation: string | undefined;
  readonly city: string | undefined;
  readonly latitude: number | undefined;
  readonly longitude: number | undefined;
  /** Of the position, km. */
  readonly accuracyKm: number | undefined;
  /** Kinds that it speaks of. */
  readonly kinds: Readonly<Partial<Record<NetworkKind, boolean>>>;
}

/** Entries that are kept read, so that one that is asked for often is read once. */
const entriesMax = 65_536;

/** Keeps what was read last; forgets everything when it is full. */
class EntryCache {
  readonly #entries = new Map<string | number, unknown>();

  get(key: string | number): unknown {
    return this.#entries.get(key);
  }

  set(key: string | number, value: unknown): void {
    if (this.#entries.size >= entriesMax) this.#entries.clear();
    this.#entries.set(key, value);
  }
}

type Members = Readonly<Record<string, unknown>>;

/** What stands before the description of a database, which ends the file. Source: https://maxmind.github.io/MaxMind-DB/ */
const mark = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** The description is searched for so far from the end. */
const descriptionBytesMax = 131_072;

/** Whether the bytes end as a database in MaxMind's format does. */
export function isMmdb(bytes: Buffer): boolean {
  return bytes.subarray(-descriptionBytesMax).includes(mark);
}

/** A database of countries, operators, cities or anonymous addresses: GeoLite2, GeoIP2, DB-IP and others of their form. */
export class MmdbFile {
  /** Its own name: `GeoLite2-City`. */
  readonly type: string;
  readonly builtAtMs: number;
  readonly #reader: Reader<never>;
  readonly #hasIpv6: boolean;
  readonly #entries = new WeakMap<object, MmdbEntry>();

  /** @throws Error for bytes that are no such database */
  constructor(bytes: Buffer) {
    this.#reader = readerOf(bytes);
    const { databaseType, buildEpoch, ipVersion } = this.#reader.metadata;
    this.type = databaseType;
    this.builtAtMs = buildEpoch.getTime();
    this.#hasIpv6 = ipVersion === 6;
  }

  find(address: Address): MmdbEntry | undefined {
    if (address.version === 6 && !this.#hasIpv6) return undefined;
    const found = this.#read(address);
    if (found === undefined) return undefined;
    let entry = this.#entries.get(found);
    if (entry === undefined) this.#entries.set(found, (entry = entryOf(found as Members)));
    return entry;
  }

  /**
   * Looks some thousand addresses up, all over the internet.
   *
   * @throws Error for a database that is damaged, or says nothing that is read here of any of them
   */
  examine(): void {
    const entries = probes(this.#hasIpv6).flatMap((address) => {
      const found = this.#examined(address);
      return typeof found === 'object' && found !== null ? [entryOf(found as Members)] : [];
    });
    if (entries.length === 0 || entries.some(saysSomething)) return;
    throw new Error(`${this.type} says nothing that is read here: no country, place, operator or kind of network`);
  }

  #examined(address: string): unknown {
    try {
      return this.#reader.get(address);
    } catch (cause) {
      throw new Error(`it is damaged: ${address} can't be looked up in it`, { cause });
    }
  }

  /** A login is taken whatever is wrong with a file: where it is damaged it says nothing. */
  #read(address: Address): object | undefined {
    try {
      const found: unknown = this.#reader.get(printAddress(address));
      return typeof found === 'object' && found !== null ? found : undefined;
    } catch {
      return undefined;
    }
  }
}

function readerOf(bytes: Buffer): Reader<never> {
  try {
    if (isMmdb(bytes)) return new Reader<never>(bytes, { cache: new EntryCache() });
  } catch {
    // Of what is cut within its description the reader says what only its author understands.
  }
  throw new Error('it does not end as a database of the MMDB format does: it was cut, or is none');
}

/** The first halves of the blocks that registries give networks of IPv6 from. */
const ipv6Blocks = ['2001', '2400', '2600', '2800', '2a00', '2c0f'];

/** One address of each 4,096th part of IPv4, and of 256 parts of each block of IPv6. */
function probes(withIpv6: boolean): readonly string[] {
  const ipv4 = Array.from({ length: 4_096 }, (_, at) => `${at >> 4}.${((at & 15) << 4) | 8}.8.8`);
  const parts = Array.from({ length: 256 }, (_, part) => (part << 8).toString(16));
  const ipv6 = ipv6Blocks.flatMap((block) => parts.map((part) => `${block}:${part}::8`));
  return withIpv6 ? [...ipv4, ...ipv6] : ipv4;
}

function saysSomething({ kinds, ...entry }: MmdbEntry): boolean {
  return Object.keys(kinds).length > 0 || Object.values(entry).some((value) => value !== undefined);
}

/** Members as MaxMind names them, then as others flatten them. */
function entryOf(found: Members): MmdbEntry {
  const country = membersOf(found.country);
  const registered = membersOf(found.registered_country);
  const location = membersOf(found.location);
  const traits = { ...membersOf(found.traits), ...found };
  return {
    country: countryCode(country.iso_code ?? registered.iso_code ?? found.country_code ?? found.country),
    asn: numberOf(traits.autonomous_system_number ?? asnOf(found.asn)),
    organisation: textOf(traits.autonomous_system_organization ?? found.as_name),
    city: textOf(membersOf(membersOf(found.city).names).en ?? found.city),
    latitude: numberOf(location.latitude ?? found.latitude),
    longitude: numberOf(location.longitude ?? found.longitude),
    accuracyKm: numberOf(location.accuracy_radius),
    kinds: kindsOf(traits),
  };
}

const kindMembers: Readonly<Record<NetworkKind, readonly string[]>> = {
  hosting: ['is_hosting_provider', 'is_hosting'],
  vpn: ['is_anonymous_vpn', 'is_vpn'],
  tor: ['is_tor_exit_node', 'is_tor'],
  relay: ['is_relay'],
  proxy: ['is_public_proxy', 'is_residential_proxy', 'is_proxy'],
};

/** A database of anonymous addresses leaves out what is false, so one that says anything says all. */
function kindsOf(traits: Members): MmdbEntry['kinds'] {
  const all = Object.entries(kindMembers) as readonly [NetworkKind, readonly string[]][];
  const found = all.filter(([, names]) => names.some((name) => traits[name] === true)).map(([kind]) => kind);
  return found.length === 0 ? {} : Object.fromEntries(all.map(([kind]) => [kind, found.includes(kind)]));
}

function asnOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return numberOf(value);
  const match = /^(?:AS)?(\d{1,10})$/.exec(value);
  return match === null ? undefined : Number(match[1]);
}

function countryCode(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Z]{2}$/.test(value) ? value : undefined;
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

import { Reader } from 'mmdb-lib';
import { type IpAddress, printIpAddress } from '@ringfence/contract';
import type { NetworkKind } from './operator-kinds.ts';

/** The entry of an address in a database of MaxMind's format; absent values are `undefined`. */
export interface MmdbEntry {
  readonly country: string | undefined;
  readonly asn: number | undefined;
  readonly organisation: string | undefined;
  readonly city: string | undefined;
  readonly latitude: number | undefined;
  readonly longitude: number | undefined;
  /** Accuracy of the position, in km. */
  readonly accuracyKm: number | undefined;
  /** The network kinds that it covers. */
  readonly kinds: Readonly<Partial<Record<NetworkKind, boolean>>>;
}

/** Decoded entries that are cached, so that a frequent one is decoded once. */
const entriesMax = 65_536;

/** Caches decoded entries; clears everything when it is full. */
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

/**
 * The marker before the metadata of a database, which is at the end of the file. Source:
 * https://maxmind.github.io/MaxMind-DB/
 */
const mark = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** How far from the end the metadata is searched for. */
const descriptionBytesMax = 131_072;

/** Whether the bytes end like a database in MaxMind's format. */
export function isMmdb(bytes: Buffer): boolean {
  return bytes.subarray(-descriptionBytesMax).includes(mark);
}

/**
 * A database of countries, operators, cities or anonymous addresses: GeoLite2, GeoIP2, DB-IP and others of their form.
 */
export class MmdbFile {
  /** Its own name: `GeoLite2-City`. */
  readonly type: string;
  readonly builtAtMs: number;
  readonly #reader: Reader<never>;
  readonly #hasIpv6: boolean;
  readonly #entries = new WeakMap<object, MmdbEntry>();

  /** @throws Error for bytes that are not such a database */
  constructor(bytes: Buffer) {
    this.#reader = readerOf(bytes);
    const { databaseType, buildEpoch, ipVersion } = this.#reader.metadata;
    this.type = databaseType;
    this.builtAtMs = buildEpoch.getTime();
    this.#hasIpv6 = ipVersion === 6;
  }

  find(address: IpAddress): MmdbEntry | undefined {
    if (address.version === 6 && !this.#hasIpv6) return undefined;
    const found = this.#read(address);
    if (found === undefined) return undefined;
    let entry = this.#entries.get(found);
    if (entry === undefined) this.#entries.set(found, (entry = entryOf(found as Members)));
    return entry;
  }

  /**
   * Looks up some thousand addresses, spread over the whole internet.
   *
   * @throws Error for a database that is damaged, or contains none of the supported values for any of them
   */
  examine(): void {
    const entries = probes(this.#hasIpv6).flatMap((address) => {
      const found = this.#examined(address);
      return typeof found === 'object' && found !== null ? [entryOf(found as Members)] : [];
    });
    if (entries.length === 0 || entries.some(saysSomething)) return;
    throw new Error(`${this.type} contains no supported value: no country, place, operator or kind of network`);
  }

  #examined(address: string): unknown {
    try {
      return this.#reader.get(address);
    } catch (cause) {
      throw new Error(`it is damaged: the lookup of ${address} fails`, { cause });
    }
  }

  /** A login is accepted even if a file is damaged: a failed lookup returns nothing. */
  #read(address: IpAddress): object | undefined {
    try {
      const found: unknown = this.#reader.get(printIpAddress(address));
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
    // For a file cut within its metadata, the reader's own error is understandable only to its author.
  }
  throw new Error('it does not end like a database of the MMDB format: it was cut, or has another format');
}

/** The first halves of the blocks from which registries assign IPv6 networks. */
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

/** Member names of MaxMind, then the flattened ones of others. */
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

/** A database of anonymous addresses omits false values, so if it contains one kind, it covers all. */
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

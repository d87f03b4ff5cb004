import {
  hasHostBits,
  type IpAddress,
  parseIpAddress,
  parseIpNetwork,
  printIpNetwork,
  translatedIpv4,
} from '@ringfence/contract';

/*
 * IP addresses as numbers of 128 bits: an IPv4 address is the IPv6 address that it is mapped to (::ffff:203.0.113.7),
 * so that a network of IPv6 may contain it.
 */
const bits = 128;
const mappedBits = bits - 32;
const mappedPrefix = 0xffffn << 32n;

/**
 * The numbers by which an address is looked up: its own and, for a NAT64 address, that of the IPv4 address behind it.
 * None for a text that is not an address.
 */
export function addressNumbers(text: string): readonly bigint[] {
  const address = parseIpAddress(text);
  if (address === undefined) return [];
  const behind = translatedIpv4(address);
  return behind === undefined ? [numberOf(address)] : [numberOf(address), numberOf(behind)];
}

function numberOf({ version, words }: IpAddress): bigint {
  if (version === 4) return mappedPrefix | BigInt(words[0]!);
  return words.reduce((number, word) => (number << 32n) | BigInt(word), 0n);
}

/** A network: all addresses with a common prefix. */
export interface Network {
  /** In bits, of 128. */
  readonly prefixLength: number;
  readonly prefix: bigint;
}

/** An address, or a range such as `203.0.113.0/24`; bits after the prefix are cleared. */
export function parseNetwork(text: string): Network | undefined {
  const network = parseIpNetwork(text);
  if (network === undefined) return undefined;
  const prefixLength = network.prefixLength + (network.address.version === 4 ? mappedBits : 0);
  return { prefixLength, prefix: numberOf(network.address) >> BigInt(bits - prefixLength) };
}

/** The canonical text of the range, with the bits after the prefix cleared: `203.0.113.0/24`. */
export function printNetwork({ prefixLength, prefix }: Network): string {
  const first = prefix << BigInt(bits - prefixLength);
  const words = [96n, 64n, 32n, 0n].map((shift) => Number((first >> shift) & 0xffff_ffffn));
  return prefixLength >= mappedBits && first >> 32n === 0xffffn
    ? printIpNetwork({ address: { version: 4, words: words.slice(3) }, prefixLength: prefixLength - mappedBits })
    : printIpNetwork({ address: { version: 6, words }, prefixLength });
}

/** The canonical form of a list item: a range as printed, an address without a prefix. */
export function networkText(network: Network): string {
  const text = printNetwork(network);
  return network.prefixLength === bits ? text.slice(0, text.indexOf('/')) : text;
}

/** Whether a text such as `203.0.113.7/24` is an address inside its range and not the range itself. */
export function isInsideRange(text: string): boolean {
  const network = parseIpNetwork(text);
  return network !== undefined && hasHostBits(network);
}

/** Addresses and ranges; looking up an address costs one lookup per prefix length. */
export class NetworkSet {
  readonly #prefixes = new Map<number, Set<bigint>>();

  constructor(networks: Iterable<Network>) {
    for (const { prefixLength, prefix } of networks) {
      const known = this.#prefixes.get(prefixLength) ?? new Set();
      this.#prefixes.set(prefixLength, known.add(prefix));
    }
  }

  /** How many lookups an address needs. */
  get lengths(): number {
    return this.#prefixes.size;
  }

  /** A text that is not an address is in no network. A NAT64 address is also in those of its IPv4 address. */
  has(text: string): boolean {
    return addressNumbers(text).some((address) => this.#holds(address));
  }

  #holds(address: bigint): boolean {
    for (const [length, prefixes] of this.#prefixes) {
      if (prefixes.has(address >> BigInt(bits - length))) return true;
    }
    return false;
  }
}

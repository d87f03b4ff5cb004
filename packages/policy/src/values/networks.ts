/*
 * IP addresses as numbers of 128 bits: an IPv4 address is the IPv6 address that it is mapped to (::ffff:203.0.113.7),
 * so that both notations are equal.
 */

const bits = 128;
const mappedPrefix = 0xffffn << 32n;
/** 64:ff9b::/96, by which IPv6-only networks reach IPv4 (RFC 6052). */
const nat64Prefix = 0x0064_ff9bn << 64n;
/** Longer than any address. */
const textLengthMax = 45;

/** The number of an IPv4 or IPv6 address; `undefined` for any other text, zones (`%eth0`) included. */
export function parseAddress(text: string): bigint | undefined {
  if (text.length > textLengthMax) return undefined;
  if (!text.includes(':')) {
    const address = parseIpv4(text);
    return address === undefined ? undefined : mappedPrefix | BigInt(address);
  }
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const isWhole = halves.length === 1;
  const head = groupsOf(halves[0] ?? '', isWhole);
  const tail = groupsOf(halves[1] ?? '', true);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (isWhole ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...tail];
  return groups.reduce((address, group) => (address << 16n) | BigInt(group), 0n);
}

/** The IPv4 address of a NAT64 address; `undefined` for any other address. */
export function addressBehind(address: bigint): bigint | undefined {
  return address >> 32n === nat64Prefix ? mappedPrefix | (address & 0xffff_ffffn) : undefined;
}

/** Groups of 16 bits; the last two of an address may be written as an IPv4 address. */
function groupsOf(text: string, isLast: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: number[] = [];
  for (const [at, part] of parts.entries()) {
    const ipv4 = isLast && at === parts.length - 1 && part.includes('.') ? parseIpv4(part) : undefined;
    if (ipv4 !== undefined) groups.push(ipv4 >>> 16, ipv4 & 0xffff);
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

function parseIpv4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const bytes = match.slice(1);
  if (bytes.some((byte) => Number(byte) > 255 || (byte.length > 1 && byte.startsWith('0')))) return undefined;
  return bytes.reduce((address, byte) => ((address << 8) | Number(byte)) >>> 0, 0);
}

/** A network: all addresses with a common prefix. */
export interface Network {
  readonly prefixLength: number;
  /** The length of the prefix in bits. */
  readonly prefix: bigint;
}

/** An address, or a range such as `203.0.113.0/24`; bits after the prefix are cleared. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const number = parseAddress(address);
  if (number === undefined || rest.length > 0) return undefined;
  const bitsOfText = address.includes(':') ? bits : 32;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const given = length === undefined ? bitsOfText : Number(length);
  if (given > bitsOfText) return undefined;
  const prefixLength = bits - bitsOfText + given;
  return { prefixLength, prefix: number >> BigInt(bits - prefixLength) };
}

/** The canonical text of the range, with the bits after the prefix cleared: `203.0.113.0/24`. */
export function printNetwork({ prefixLength, prefix }: Network): string {
  const first = prefix << BigInt(bits - prefixLength);
  if (prefixLength >= bits - 32 && first >> 32n === 0xffffn) {
    const address = Number(first & 0xffffffffn);
    const parts = [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
    return `${parts.join('.')}/${prefixLength - (bits - 32)}`;
  }
  const groups = Array.from({ length: 8 }, (_, at) => Number((first >> BigInt(16 * (7 - at))) & 0xffffn).toString(16));
  return `${shortest(groups)}/${prefixLength}`;
}

/** With `::` for the longest run of zeros, the first if several are equally long (RFC 5952). */
function shortest(groups: readonly string[]): string {
  const whole = groups.join(':');
  const runs = whole.match(/\b0(?::0)+\b/g) ?? [];
  const [longest] = runs.toSorted((one, other) => other.length - one.length);
  return longest === undefined ? whole : whole.replace(new RegExp(`(?:^|:)\\b${longest}\\b(?::|$)`), '::');
}

/** The canonical form of a list item: a range as printed, an address without a prefix. */
export function networkText(network: Network): string {
  const text = printNetwork(network);
  return network.prefixLength === bits ? text.slice(0, text.indexOf('/')) : text;
}

/** Whether a text such as `203.0.113.7/24` is an address inside the range and not the range itself. */
export function isInsideOf(text: string, { prefixLength, prefix }: Network): boolean {
  return parseAddress(text.split('/')[0] ?? '') !== prefix << BigInt(bits - prefixLength);
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
    const address = parseAddress(text);
    if (address === undefined) return false;
    const behind = addressBehind(address);
    return this.#holds(address) || (behind !== undefined && this.#holds(behind));
  }

  #holds(address: bigint): boolean {
    for (const [length, prefixes] of this.#prefixes) {
      if (prefixes.has(address >> BigInt(bits - length))) return true;
    }
    return false;
  }
}

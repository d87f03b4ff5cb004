/** An IP address in words of 32 bits: one for IPv4, four for IPv6. An IPv4-mapped address is the IPv4 address. */
export interface IpAddress {
  readonly version: 4 | 6;
  readonly words: readonly number[];
}

/** Longer than any address. */
const textLengthMax = 45;
/** Third word of an IPv4-mapped address. */
const mapped = 0xffff;
/** First word of 64:ff9b::/96, by which IPv6-only networks reach IPv4 (RFC 6052). */
const nat64 = 0x0064_ff9b;

/**
 * Accepts what `isIP` of `node:net` accepts, except zones (`%eth0`); `undefined` for any other text, such as ports and
 * lists.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (text.length > textLengthMax) return undefined;
  if (!text.includes(':')) {
    const word = parseIpv4(text);
    return word === undefined ? undefined : { version: 4, words: [word] };
  }
  const words = parseIpv6(text);
  if (words === undefined) return undefined;
  return words[0] === 0 && words[1] === 0 && words[2] === mapped
    ? { version: 4, words: [words[3]!] }
    : { version: 6, words };
}

/**
 * The one text of an address, however it was written: without blanks, brackets, port and zone; an IPv4-mapped or NAT64
 * address is the IPv4 address. `undefined` for a text that is not one address.
 */
export function canonicalAddress(text: string): string | undefined {
  const address = parseIpAddress(text) ?? parseIpAddress(bareAddress(text));
  return address === undefined ? undefined : printIpAddress(translatedIpv4(address) ?? address);
}

const bracketed = /^\[([^[\]]*)\](?::\d{1,5})?$/;
/** A colon behind a dotted address comes before a port. */
const dottedWithPort = /^([^[\]]*\.\d{1,3}):\d{1,5}$/;
const zoned = /^([^%]*:[^%]*)%[\w.~%-]{1,64}$/;

/** Proxies, gateways and programs add these to an address. */
function bareAddress(text: string): string {
  const written = text.trim();
  const alone = bracketed.exec(written)?.[1] ?? dottedWithPort.exec(written)?.[1] ?? written;
  return zoned.exec(alone)?.[1] ?? alone;
}

/** Prefix of the network in which the devices of one IPv6 line choose their addresses, and change them (RFC 8981). */
const subnetBits = { 4: 32, 6: 64 } as const;

/** The network of one line: the first 64 bits of IPv6, all of IPv4. `undefined` for a text that is not an address. */
export function subnetOf(text: string): string | undefined {
  const written = parseIpAddress(text) ?? parseIpAddress(bareAddress(text));
  if (written === undefined) return undefined;
  const address = translatedIpv4(written) ?? written;
  return printIpNetwork({ address, prefixLength: subnetBits[address.version] });
}

/** The IPv4 address that a NAT64 address contains; `undefined` for any other address. */
export function translatedIpv4({ words: [first, second, third, fourth] }: IpAddress): IpAddress | undefined {
  return first === nat64 && second === 0 && third === 0 ? { version: 4, words: [fourth!] } : undefined;
}

function parseIpv4(text: string): number | undefined {
  let word = 0;
  let at = 0;
  for (let part = 0; part < 4; part++) {
    let value = text.charCodeAt(at) - 48;
    if (!(value >= 0 && value <= 9)) return undefined;
    const isZero = value === 0;
    for (at++; at < text.length; at++) {
      const digit = text.charCodeAt(at) - 48;
      if (!(digit >= 0 && digit <= 9)) break;
      // A number with a leading 0 is octal to some programs, and decimal to others.
      if (isZero) return undefined;
      value = value * 10 + digit;
    }
    if (value > 255) return undefined;
    word = word * 256 + value;
    if (part < 3 && text.charCodeAt(at++) !== 46) return undefined;
  }
  return at === text.length ? word : undefined;
}

function parseIpv6(text: string): readonly number[] | undefined {
  const gap = text.indexOf('::');
  if (gap !== -1 && text.includes('::', gap + 1)) return undefined;
  const head = groupsOf(gap === -1 ? text : text.slice(0, gap), gap === -1);
  const tail = gap === -1 ? [] : groupsOf(text.slice(gap + 2), true);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (gap === -1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...tail];
  return [0, 2, 4, 6].map((at) => groups[at]! * 65_536 + groups[at + 1]!);
}

const groupForm = /^[0-9a-f]{1,4}$/i;

/** Groups of 16 bits; the last two may be written as an IPv4 address. */
function groupsOf(text: string, isLast: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [at, part] of parts.entries()) {
    if (isLast && at === parts.length - 1 && part.includes('.')) {
      const word = parseIpv4(part);
      if (word === undefined) return undefined;
      groups.push(word >>> 16, word & 0xffff);
    } else if (groupForm.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

/** The canonical text of an address: dotted for IPv4, RFC 5952 for IPv6. */
export function printIpAddress({ version, words }: IpAddress): string {
  if (version === 4) return printIpv4(words[0]!);
  const groups = words.flatMap((word) => [word >>> 16, word & 0xffff]);
  const [from, length] = longestZeros(groups);
  const hex = (list: readonly number[]): string => list.map((group) => group.toString(16)).join(':');
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, from))}::${hex(groups.slice(from + length))}`;
}

function printIpv4(word: number): string {
  return `${word >>> 24}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}`;
}

function longestZeros(groups: readonly number[]): readonly [from: number, length: number] {
  let longest: [number, number] = [0, 0];
  for (let from = 0; from < groups.length; from++) {
    let to = from;
    while (groups[to] === 0) to++;
    if (to - from > longest[1]) longest = [from, to - from];
    from = to;
  }
  return longest;
}

/** All addresses whose first `prefixLength` bits are those of `address`. */
export interface IpNetwork {
  /** As written: bits after the prefix may be set. */
  readonly address: IpAddress;
  readonly prefixLength: number;
}

/** An address, or a network such as `203.0.113.0/24`; `::ffff:203.0.113.0/120` is the same one. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [written = '', length, ...rest] = text.split('/');
  const address = parseIpAddress(written);
  if (address === undefined || rest.length > 0) return undefined;
  const bits = written.includes(':') ? 128 : 32;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const prefixLength = length === undefined ? bits : Number(length);
  if (prefixLength > bits) return undefined;
  if (address.version === 6 || bits === 32) return { address, prefixLength };
  // A network of mapped addresses that contains others, too, is one of IPv6.
  return prefixLength < mappedBits
    ? { address: { version: 6, words: [0, 0, mapped, address.words[0]!] }, prefixLength }
    : { address, prefixLength: prefixLength - mappedBits };
}

/** Length of the prefix of IPv4-mapped addresses. */
const mappedBits = 96;

/** The first address of a network. */
export function firstAddress({ address: { version, words }, prefixLength }: IpNetwork): IpAddress {
  return { version, words: words.map((word, at) => (word & maskOf(prefixLength - 32 * at)) >>> 0) };
}

/** Whether bits after the prefix are set: `203.0.113.7/24`. */
export function hasHostBits(network: IpNetwork): boolean {
  const { words } = firstAddress(network);
  return network.address.words.some((word, at) => word !== words[at]);
}

export function isInNetwork({ version, words }: IpAddress, { address, prefixLength }: IpNetwork): boolean {
  return (
    version === address.version &&
    words.every((word, at) => ((word ^ address.words[at]!) & maskOf(prefixLength - 32 * at)) === 0)
  );
}

/** The first `bits` of a word. */
function maskOf(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 32 ? -1 : -1 << (32 - bits);
}

/** The canonical text, with the bits after the prefix cleared: `203.0.113.0/24`, `2001:db8::/32`. */
export function printIpNetwork(network: IpNetwork): string {
  return `${printIpAddress(firstAddress(network))}/${network.prefixLength}`;
}

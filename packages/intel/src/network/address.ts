/**
 * An IP address in words of 32 bits: one for IPv4, four for IPv6. An IPv4 address in IPv6 notation (mapped, or
 * translated by NAT64) is the IPv4 address.
 */
export interface Address {
  readonly version: 4 | 6;
  readonly words: readonly number[];
}

/** Longer than any address. */
const textLengthMax = 45;
const mapped = 0xffff;
/** 64:ff9b::/96, by which IPv6-only networks reach IPv4. */
const nat64 = 0x0064_ff9b;

/** `undefined` for any text that is not an address, including ports, zones (`%eth0`) and lists. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > textLengthMax) return undefined;
  if (!text.includes(':')) {
    const word = parseIpv4(text, 0);
    return word === undefined ? undefined : { version: 4, words: [word] };
  }
  const words = parseIpv6(text);
  if (words === undefined) return undefined;
  const [first, second, third, fourth] = words as [number, number, number, number];
  const holdsIpv4 = second === 0 && ((first === 0 && third === mapped) || (first === nat64 && third === 0));
  return holdsIpv4 ? { version: 4, words: [fourth] } : { version: 6, words };
}

function parseIpv4(text: string, from: number): number | undefined {
  let word = 0;
  let at = from;
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
      const word = parseIpv4(part, 0);
      if (word === undefined) return undefined;
      groups.push(word >>> 16, word & 0xffff);
    } else if (groupForm.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

/** The canonical text of an address: dotted for IPv4, RFC 5952 for IPv6. */
export function printAddress({ version, words }: Address): string {
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

/** Bits of the network that one household, office or rented server usually has. */
const networkBits = { 4: 24, 6: 48 } as const;

/** The network around an address: `203.0.113.0/24`, `2001:db8:1::/48`. */
export function networkOf({ version, words }: Address): string {
  if (version === 4) return `${printIpv4((words[0]! & 0xffff_ff00) >>> 0)}/${networkBits[4]}`;
  const [first, second] = words as [number, number];
  const network = [first, (second & 0xffff_0000) >>> 0, 0, 0];
  return `${printAddress({ version, words: network })}/${networkBits[6]}`;
}

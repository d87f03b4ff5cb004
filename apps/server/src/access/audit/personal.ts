import type { Read, SummaryPart } from '@ringfence/policy';

/**
 * Defines and masks personal data: the client, its session, accounts, IP addresses, the message to the client, and
 * every payload member that is not listed here as harmless. Values are masked before they leave the server, and a mask
 * does not reveal the length of its value.
 */

/** Members of a payload that contain no personal data. */
const harmless: ReadonlySet<string> = new Set([
  'channelId',
  'timestamp',
  'transaction.category',
  'transaction.type',
  'transaction.date',
  'order.amount',
  'order.currency',
  'account.bank',
  'accountTo.bank',
  'debitFrom.bank',
  'debitFrom.currency',
  'creditTo.bank',
  'creditTo.currency',
  'creditCard.bin',
]);

/** Prefixes of facts about a person, unless listed as harmless. */
const personalFact =
  /^(?:user|client\.id|publicIp|session(?:\.id|\.ip)?|data|payee\.id|ip\.(?:address|network)|(?:account|accountTo|debitFrom|creditTo|creditCard)\..*|transaction\.(?:reference|description|details.*))$/;

/** A number too short for an account or a phone, a duration as facts print it, true or false. */
const plain = /^(?:-?\d{1,9}(?:\.\d+)?|-?(?:\d+(?:ms|[dhms]))+|true|false)$/;

const dots = '•••';

/**
 * Shows the first character, of longer values the last two as well: enough to tell two values apart, too little to know
 * them.
 */
export function maskText(text: string): string {
  if (text === '') return '';
  const signs = Array.from(text);
  return signs.length < 8 ? signs[0]! + dots : signs.slice(0, 2).join('') + dots + signs.slice(-2).join('');
}

/** Keeps the network part: `203.0.•.•`, `2001:db8:•`. */
export function maskAddress(address: string): string {
  const [first, second] = address.split(/[.:]/, 2);
  return address.includes(':') ? `${first}:${second}:•` : `${first}.${second}.•.•`;
}

/** Masks the value of a link or a search result. */
export function maskEntity(kind: string, value: string): string {
  if (kind === 'ip') return maskAddress(value);
  return kind === 'device' ? value : maskText(value);
}

/** Masks a payload: its structure and harmless members stay, all other values are masked. */
export function maskPayload(value: unknown, path = ''): unknown {
  if (harmless.has(path)) return value;
  if (Array.isArray(value)) return value.map((item) => maskPayload(item, `${path}[]`));
  if (typeof value === 'string') return maskText(value);
  if (typeof value === 'object' && value !== null && !('rawJSON' in value)) {
    const inside = (name: string): string => (path === '' ? name : `${path}.${name}`);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskPayload(member, inside(name))]));
  }
  return value === null || typeof value === 'boolean' ? value : dots;
}

/**
 * Masks facts that a rule read; missing facts stay missing. Facts named by analysts are shown if they are numbers,
 * durations or booleans.
 */
export function maskFacts<Value extends string | undefined>(
  facts: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value | string>> {
  return Object.fromEntries(
    Object.entries(facts).map(([path, value]) => [
      path,
      value !== undefined && isPersonalFact(path, value) ? maskText(value) : value,
    ]),
  );
}

/** Masks enrichment facts: the network part of an address stays, as elsewhere. */
export function maskDerived<Value>(facts: Readonly<Record<string, Value>>): Readonly<Record<string, Value | string>> {
  return Object.fromEntries(
    Object.entries(facts).map(([path, value]) => {
      if (typeof value !== 'string') return [path, value];
      if (path === 'ip.address' || path === 'ip.network') return [path, maskAddress(value)];
      return [path, isPersonalFact(path, value) ? maskText(value) : value];
    }),
  );
}

function isPersonalFact(path: string, value: string): boolean {
  if (harmless.has(path)) return false;
  if (personalFact.test(path)) return true;
  return !path.includes('.') && !plain.test(value);
}

/** Masks a value in the summary of a rule if one of the facts that it was computed from may be personal. */
export function maskSummaryPart({ text, of = [], type = 'string' }: SummaryPart): string {
  return of.some((path) => isPersonalRead({ path, type })) ? maskText(text) : text;
}

/** Whether a fact read by a condition may be personal, whatever its value. */
export function isPersonalRead({ path, type }: Pick<Read, 'path' | 'type'>): boolean {
  return isPersonalFact(path, type === 'string' ? '' : 'true');
}

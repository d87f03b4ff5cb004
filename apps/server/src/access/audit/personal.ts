import type { Read } from '@ringfence/policy';

/**
 * What is personal, and how it is masked. Personal are the client, its session, accounts, addresses of the internet, the
 * message to the client, and everything in a payload that is not named here as harmless. Masks are made before anything
 * leaves the server, and tell nothing of how long a value is.
 */

/** Members of a payload that say nothing about a person. */
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

/** Facts about a person begin like this, unless they are harmless. */
const personalFact =
  /^(?:user|client\.id|publicIp|session(?:\.id|\.ip)?|data|payee\.id|ip\.(?:address|network)|(?:account|accountTo|debitFrom|creditTo|creditCard)\..*|transaction\.(?:reference|description|details.*))$/;

/** A number too short to be an account's or a telephone's, a duration as facts are printed, yes or no. */
const plain = /^(?:-?\d{1,9}(?:\.\d+)?|-?(?:\d+(?:ms|[dhms]))+|true|false)$/;

const dots = '•••';

/** The first sign, of longer values the last two as well: enough to tell two apart, too little to know them. */
export function maskText(text: string): string {
  if (text === '') return '';
  const signs = Array.from(text);
  return signs.length < 8 ? signs[0]! + dots : signs.slice(0, 2).join('') + dots + signs.slice(-2).join('');
}

/** The network stays: `203.0.•.•`, `2001:db8:•`. */
export function maskAddress(address: string): string {
  const [first, second] = address.split(/[.:]/, 2);
  return address.includes(':') ? `${first}:${second}:•` : `${first}.${second}.•.•`;
}

/** Shown in the place of a link's or a search's value. */
export function maskEntity(kind: string, value: string): string {
  if (kind === 'ip') return maskAddress(value);
  return kind === 'device' ? value : maskText(value);
}

/** A payload with its shape, its harmless members, and masks in the place of all others. */
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
 * Facts that a rule saw, printed; those that were missing stay so. Those that analysts named are shown when they are
 * numbers, durations or yes and no.
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

/** What was found out when an event arrived: of an address its network stays, as everywhere. */
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

/** Whether what a condition reads may be personal, whatever its value. */
export function isPersonalRead({ path, type }: Pick<Read, 'path' | 'type'>): boolean {
  return isPersonalFact(path, type === 'string' ? '' : 'true');
}

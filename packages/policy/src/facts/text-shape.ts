import { canonicalAddress, countryMeant, foldCurrencyCode, isCountryCode, subnetOf } from '@ringfence/contract';

/** The form of a text. */
export interface TextShape {
  readonly fits: (text: string) => boolean;
  /** A description for people. */
  readonly text: string;
  /** The text of this form that was probably meant. */
  readonly meant?: (text: string) => string | undefined;
}

/** Facts that are IP addresses. */
export const addresses: ReadonlySet<string> = new Set(['publicIp', 'session.ip', 'ip.address']);

/** Ranges belong in a list. */
const oneAddress: TextShape = {
  fits: (text) => !text.includes('/') && (canonicalAddress(text) ?? text) === text,
  text: 'publicIp in lists.office, where lists.office is a list of publicIp: it looks up ranges',
  meant: canonicalAddress,
};

const subnetAround = (text: string): string | undefined => subnetOf(text.split('/', 1)[0]!);

const subnet: TextShape = {
  fits: (text) => text === subnetAround(text),
  text: 'a network, such as "203.0.113.7/32" or "2001:db8:1:2::/64"',
  meant: subnetAround,
};

/** Ingest folds currency codes. */
const capitals: TextShape = {
  fits: (text) => foldCurrencyCode(text) === text,
  text: 'the code in capitals, such as "MXN"',
};

const country: TextShape = { fits: isCountryCode, text: 'two capital letters, such as "MX"', meant: countryMeant };

/** No author knows what ingest makes of a hash. */
const keyedHash: TextShape = {
  fits: () => false,
  text: 'a live list, filled from events: ingest replaces the hash that is sent by a keyed one, which it never equals',
};

const shapes: ReadonlyMap<string, TextShape> = new Map([
  ['payee.id', { fits: (text) => text.includes('/'), text: 'BANK/123, or /123 without a bank' }],
  ['ip.network', { fits: (text) => text.includes('/'), text: 'a network, such as "203.0.113.0/24"' }],
  ['ip.country', country],
  ['creditCard.hash', keyedHash],
  ...['ip.subnet', 'session.subnet'].map((path) => [path, subnet] as const),
  ...['order.currency', 'debitFrom.currency', 'creditTo.currency'].map((path) => [path, capitals] as const),
  ...[...addresses].map((path) => [path, oneAddress] as const),
]);

/** The common form of the texts of a fact. */
export function textShape(path: string): TextShape | undefined {
  return shapes.get(path);
}

/** What to write instead of a text that the fact never is; `undefined` for one that it may be. */
export function insteadOfText(
  { values, shape }: { readonly values?: readonly string[]; readonly shape?: TextShape },
  text: string,
): string | undefined {
  if (values !== undefined) return values.includes(text) ? undefined : `one of ${values.join(', ')}`;
  if (shape === undefined || shape.fits(text)) return undefined;
  const meant = shape.meant?.(text);
  return meant === undefined ? shape.text : JSON.stringify(meant);
}

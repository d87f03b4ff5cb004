import { definer, type FunctionDefinition } from './definition.ts';

const define = definer('messages');

/** The last characters, by which a reader recognises an account or a number. */
const shownMax = 4;
const cover = '****';

/** Functions that mask most of a value, for messages that others could read. */
export const masks: readonly FunctionDefinition[] = [
  define('string.mask(): string', {
    doc: `The last digits of an account, a card or a phone number: \`${cover}1234\`. At least half of it is hidden, and at most ${shownMax} characters are shown; the length is not visible.`,
    example: 'account.accountNumber.mask() == "****9719"',
    cost: 15,
    length: () => cover.length + shownMax,
    apply: mask,
  }),
  define('string.maskEmail(): string', {
    doc: `The first letter and the domain of an e-mail address: \`m${cover}@example.com\`. A text that is not an address is masked entirely.`,
    example: 'account.email.maskEmail() == "m****@example.com"',
    cost: (value) => 15 + value.length / 16,
    length: (value) => value.length + cover.length,
    apply: maskEmail,
  }),
];

export function mask(value: string): string {
  const shown = Math.min(shownMax, Math.floor(value.length / 2));
  const end = value.slice(value.length - shown);
  // Half of a surrogate pair is dropped.
  return cover + end.replace(/^[\udc00-\udfff]/, '');
}

export function maskEmail(value: string): string {
  const at = value.lastIndexOf('@');
  if (at < 1 || at === value.length - 1) return cover;
  const first = String.fromCodePoint(value.codePointAt(0) ?? 0);
  return `${at > first.length ? first : ''}${cover}${value.slice(at)}`;
}

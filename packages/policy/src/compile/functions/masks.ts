import { definer, type FunctionDefinition } from './definition.ts';

const define = definer('messages');

/** What a reader needs to know an account or a number by. */
const shownMax = 4;
const cover = '****';

/** Functions that hide most of a value, for messages that others could read. */
export const masks: readonly FunctionDefinition[] = [
  define('string.mask(): string', {
    doc: `An account, a card or a phone number by its end: \`${cover}1234\`. At least half of it is hidden, and at most ${shownMax} characters are shown; how long it is does not show.`,
    example: 'account.accountNumber.mask() == "****9719"',
    cost: 15,
    length: () => cover.length + shownMax,
    apply: mask,
  }),
  define('string.maskEmail(): string', {
    doc: `An e-mail address by its first letter and its domain: \`m${cover}@example.com\`. What is no address is masked whole.`,
    example: 'account.email.maskEmail() == "m****@example.com"',
    cost: (value) => 15 + value.length / 16,
    length: (value) => value.length + cover.length,
    apply: maskEmail,
  }),
];

export function mask(value: string): string {
  const shown = Math.min(shownMax, Math.floor(value.length / 2));
  const end = value.slice(value.length - shown);
  // Half a character is none.
  return cover + end.replace(/^[\udc00-\udfff]/, '');
}

export function maskEmail(value: string): string {
  const at = value.lastIndexOf('@');
  if (at < 1 || at === value.length - 1) return cover;
  const first = String.fromCodePoint(value.codePointAt(0) ?? 0);
  return `${at > first.length ? first : ''}${cover}${value.slice(at)}`;
}

import { domainToASCII } from 'node:url';

/**
 * Whether a text can identify a person: something, an `@`, and something. The `@` distinguishes people in the audit log
 * from other actors (`admin token`, `os:root`), and invisible characters, which could make two names look alike, are
 * refused.
 */
export function isEmail(text: string): boolean {
  return /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text);
}

/**
 * Normalizes an e-mail address for looking up an account: lower case, with the domain in its IDNA form, so that it is
 * the same whether a person or their browser wrote it.
 */
export function emailName(email: string): string {
  const domainAt = email.lastIndexOf('@') + 1;
  const domain = email.slice(domainAt).toLowerCase();
  return `${email.slice(0, domainAt).toLowerCase()}${domainToASCII(domain) || domain}`;
}

import { domainToASCII } from 'node:url';

/**
 * Whether a text can name a person: something, an `@`, and something. Whoever is named by it in the audit log is told apart
 * by that from what is not a person (`admin token`, `os:root`), and no mark that is not seen makes two names look alike.
 */
export function isEmail(text: string): boolean {
  return /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text);
}

/**
 * An e-mail address as an account is found by it: in small letters, its domain as the name system has it (IDNA), so that
 * it is the same whether somebody or their browser wrote it.
 */
export function emailName(email: string): string {
  const domainAt = email.lastIndexOf('@') + 1;
  const domain = email.slice(domainAt).toLowerCase();
  return `${email.slice(0, domainAt).toLowerCase()}${domainToASCII(domain) || domain}`;
}

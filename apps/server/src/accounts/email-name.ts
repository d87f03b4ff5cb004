import { domainToASCII } from 'node:url';

/**
 * An e-mail address as an account is found by it: in small letters, its domain as the name system has it (IDNA), so that
 * it is the same whether somebody or their browser wrote it.
 */
export function emailName(email: string): string {
  const domainAt = email.lastIndexOf('@') + 1;
  const domain = email.slice(domainAt).toLowerCase();
  return `${email.slice(0, domainAt).toLowerCase()}${domainToASCII(domain) || domain}`;
}

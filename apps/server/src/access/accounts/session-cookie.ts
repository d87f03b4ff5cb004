import { hash, timingSafeEqual } from 'node:crypto';
import { sessionMsMax } from './sessions.ts';

/**
 * `__Host-`: only for this exact host, only over TLS (browsers also accept localhost), not restricted to a path.
 * `Strict`: other sites cannot make a browser send it. Source: RFC 6265bis, section 4.1.3.
 */
const name = '__Host-ringfence';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export function sessionCookie(token: string): string {
  return `${name}=${token}; ${attributes}; Max-Age=${sessionMsMax / 1_000}`;
}

export const noSessionCookie = `${name}=; ${attributes}; Max-Age=0`;

/** Reads the session token from a Cookie header. */
export function sessionTokenOf(cookies: string | undefined): string | undefined {
  return cookieOf(cookies, name);
}

export function cookieOf(cookies: string | undefined, wanted: string): string | undefined {
  for (const part of (cookies ?? '').split(';')) {
    const [found, value] = part.trim().split('=', 2);
    if (found === wanted && value !== undefined && value !== '') return value;
  }
  return undefined;
}

/**
 * The token that pages return as `X-CSRF-Token`: a site that can make the browser send the cookie but cannot read
 * answers does not know it.
 */
export function csrfTokenOf(token: string): string {
  return hash('sha256', `csrf\0${token}`, 'base64url');
}

export function isCsrfToken(token: string, given: string | undefined): boolean {
  const expected = Buffer.from(csrfTokenOf(token));
  const found = Buffer.from(given ?? '');
  return found.length === expected.length && timingSafeEqual(found, expected);
}

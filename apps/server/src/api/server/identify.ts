import { Problem } from '@ringfence/contract';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import { isCsrfToken, sessionTokenOf } from '../../access/accounts/session-cookie.ts';
import { isKnownHost } from '../../platform/http/host-check.ts';
import { bearerGuard } from './bearer-guard.ts';
import type { ManagementDeps } from './management-deps.ts';
import { sessionOf } from '../sessions/passwords.ts';

/**
 * Header of requests that a page sends on a timer and not because of a person's action: they do not extend the session.
 */
const backgroundHeader = 'x-background';

/**
 * Identifies the sender of a request: a program by the admin token or a token of its own, a person by the session
 * cookie. A request of a page must come from the console's own origin; a request that changes something must also carry
 * the CSRF token.
 *
 * @returns a function that throws Problem `token.invalid`, `rate.limited`, `session.missing` or `request.foreign`
 */
export function identifier(deps: ManagementDeps): (request: FastifyRequest) => Promise<Caller> {
  const identifyProgram = bearerGuard(deps);
  return async (request) => {
    const { authorization, cookie } = request.headers;
    const token = sessionTokenOf(cookie);
    if (authorization === undefined && token === undefined) {
      throw new Problem('session.missing', 'Log in, or send a token as "Authorization: Bearer <token>".');
    }
    if (authorization !== undefined || token === undefined) return identifyProgram(request);
    const isUse = request.headers[backgroundHeader] === undefined;
    const session = await sessionOf(deps, token, isUse);
    if (session === undefined) throw new Problem('session.missing', 'The session has ended. Log in again.');
    // Reading personal data writes an entry to the audit log, so no other site may read in a person's name.
    refuseForeign(deps, request);
    if (request.method !== 'GET') {
      const csrf = request.headers['x-csrf-token'];
      if (!isCsrfToken(token, typeof csrf === 'string' ? csrf : undefined)) {
        throw new Problem(
          'request.foreign',
          'The X-CSRF-Token header must be the csrfToken that /management/v1/session returns.',
        );
      }
    }
    return { kind: 'person', session, token };
  };
}

/**
 * Refuses requests that another site made the browser send (CSRF).
 *
 * @throws Problem `request.foreign`
 */
export function refuseForeign({ consoleOrigin }: Pick<ManagementDeps, 'consoleOrigin'>, request: FastifyRequest): void {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  const fromUs = site === undefined || site === 'same-origin' || site === 'none';
  if (fromUs && (origin === undefined || isOurs(origin, host, consoleOrigin))) return;
  throw new Problem('request.foreign', 'The request comes from a page of another origin.');
}

/**
 * Without a configured origin, the page's host must equal the requested host. Without TLS, an attacker's page could
 * make its own domain resolve to this server (DNS rebinding): therefore only names that no outsider can own are
 * accepted, and browsers store our `Secure` cookie under no other.
 */
function isOurs(origin: string, host: string | undefined, configured: string | undefined): boolean {
  if (configured !== undefined) return origin === configured;
  const page = URL.parse(origin);
  return page !== null && page.host === host && (page.protocol === 'https:' || isKnownHost(page.hostname));
}

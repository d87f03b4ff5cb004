import { Problem } from '@ringfence/contract';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/accounts/caller.ts';
import { isCsrfToken, sessionTokenOf } from '../../access/accounts/session-cookie.ts';
import { isOwnName } from '../../platform/http/host-check.ts';
import { adminGuard } from './admin-guard.ts';
import type { ManagementDeps } from './management-deps.ts';
import { sessionOf } from '../sessions/passwords.ts';

/** A page asks by itself, and not because somebody did something: it keeps nobody logged in. */
const backgroundHeader = 'x-background';

/**
 * Tells who sends a request: a program by the admin token, a person by the cookie of a session. A request of a page has to
 * come from a page of ours; one that changes something has to show that it read an answer of ours.
 *
 * @returns a function that throws Problem `token.invalid`, `rate.limited`, `session.missing` or `request.foreign`
 */
export function identifier(deps: ManagementDeps): (request: FastifyRequest) => Promise<Caller> {
  const admitMachine = adminGuard(deps);
  return async (request) => {
    const { authorization, cookie } = request.headers;
    const token = sessionTokenOf(cookie);
    if (authorization === undefined && token === undefined) {
      throw new Problem('session.missing', 'Log in, or send the admin token as "Authorization: Bearer <token>".');
    }
    if (authorization !== undefined || token === undefined) {
      admitMachine(request);
      return { kind: 'machine' };
    }
    const isUse = request.headers[backgroundHeader] === undefined;
    const session = await sessionOf(deps, token, isUse);
    if (session === undefined) throw new Problem('session.missing', 'The session has ended. Log in again.');
    // Looking at personal data is an entry of the audit log: no other page may look in somebody's name.
    refuseForeign(deps, request);
    if (request.method !== 'GET') {
      const csrf = request.headers['x-csrf-token'];
      if (!isCsrfToken(token, typeof csrf === 'string' ? csrf : undefined)) {
        throw new Problem('request.foreign', 'X-CSRF-Token is not what /management/v1/session answers.');
      }
    }
    return { kind: 'person', session, token };
  };
}

/**
 * Refuses what a browser sends because another site told it to.
 *
 * @throws Problem `request.foreign`
 */
export function refuseForeign({ consoleOrigin }: Pick<ManagementDeps, 'consoleOrigin'>, request: FastifyRequest): void {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  const fromUs = site === undefined || site === 'same-origin' || site === 'none';
  if (fromUs && (origin === undefined || isOurs(origin, host, consoleOrigin))) return;
  throw new Problem('request.foreign', 'It comes from a page of another origin.');
}

/**
 * Without a configured address the one that the browser asked for has to be the page's. Without TLS anybody's page may ask
 * for us by its own name: none that it could own counts then, and browsers keep our cookie under none.
 */
function isOurs(origin: string, host: string | undefined, configured: string | undefined): boolean {
  if (configured !== undefined) return origin === configured;
  const page = URL.parse(origin);
  return page !== null && page.host === host && (page.protocol === 'https:' || isOwnName(page.hostname));
}

import { Problem } from '@ringfence/contract';
import type { FastifyRequest } from 'fastify';
import { isAdminToken } from '../secrets/admin-token.ts';
import { FailedLogins } from './failed-logins.ts';
import type { ManagementDeps } from './management-deps.ts';

/**
 * Lets a request with the admin token pass. Whatever is wrong with the header, the answer is the same, after the same
 * work; an address that has sent too many wrong tokens waits.
 *
 * @returns a check that throws Problem `token.invalid` or `rate.limited`
 */
export function adminGuard(deps: Pick<ManagementDeps, 'admin' | 'now' | 'logger'>): (request: FastifyRequest) => void {
  const failed = new FailedLogins();
  return (request) => {
    const nowMs = deps.now();
    const retryAfterSeconds = failed.waitSeconds(request.ip, nowMs);
    if (retryAfterSeconds !== undefined) {
      throw new Problem('rate.limited', 'Too many wrong tokens came from this address.', { retryAfterSeconds });
    }
    if (isAdminToken(deps.admin, bearerToken(request.headers.authorization))) return;
    if (failed.note(request.ip, nowMs)) {
      deps.logger.warn({ address: request.ip }, 'too many wrong admin tokens from this address; it has to wait');
    }
    throw new Problem('token.invalid', 'Send the admin token as "Authorization: Bearer <token>".');
  };
}

/** "", which is nobody's token, for a header that holds none: it is compared all the same. */
function bearerToken(authorization: string | undefined): string {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
}

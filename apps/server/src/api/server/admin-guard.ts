import { Problem } from '@ringfence/contract';
import type { FastifyRequest } from 'fastify';
import { FailedAttempts } from '../../platform/http/failed-attempts.ts';
import { isAdminToken } from '../../platform/secrets/admin-token.ts';
import type { ManagementDeps } from './management-deps.ts';

/**
 * Wrong tokens per address: a person makes a few typing errors, a script with an outdated token repeats it. At this
 * rate 256 bits cannot be guessed.
 */
const wrongTokens = { burst: 20, everyMs: 2_000 };

/**
 * Admits a request that carries the admin token. Every faulty header gets the same answer after the same amount of
 * work; an address that sent too many wrong tokens is rate-limited.
 *
 * @returns a check that throws Problem `token.invalid` or `rate.limited`
 */
export function adminGuard(
  deps: Pick<ManagementDeps, 'admin' | 'senders' | 'now' | 'logger'>,
): (request: FastifyRequest) => void {
  const failed = new FailedAttempts(wrongTokens);
  return (request) => {
    const nowMs = deps.now();
    const address = deps.senders.addressOf(request.raw);
    const retryAfterSeconds = failed.waitSeconds(address, nowMs);
    if (retryAfterSeconds !== undefined) {
      throw new Problem('rate.limited', 'Too many wrong tokens from this address.', { retryAfterSeconds });
    }
    if (isAdminToken(deps.admin, bearerToken(request.headers.authorization))) return;
    if (failed.note(address, nowMs)) {
      deps.logger.warn({ address }, 'too many wrong admin tokens from this address: further attempts are rate-limited');
    }
    throw new Problem('token.invalid', 'Send the admin token as "Authorization: Bearer <token>".');
  };
}

/**
 * Returns "" for a header without a token: it matches no token, but is still compared, so that the work is the same.
 */
function bearerToken(authorization: string | undefined): string {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
}

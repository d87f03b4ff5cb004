import { Problem } from '@ringfence/contract';
import type { FastifyRequest } from 'fastify';
import { FailedAttempts } from '../../platform/http/failed-attempts.ts';
import { isAdminToken } from '../../platform/secrets/admin-token.ts';
import type { ManagementDeps } from './management-deps.ts';

/**
 * Wrong tokens of one address: a person tries a few, a script that was not told of the new one some. So many guesses
 * of 256 bits never get anywhere.
 */
const wrongTokens = { burst: 20, everyMs: 2_000 };

/**
 * Lets a request with the admin token pass. Whatever is wrong with the header, the answer is the same, after the same
 * work; an address that has sent too many wrong tokens waits.
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
      throw new Problem('rate.limited', 'Too many wrong tokens came from this address.', { retryAfterSeconds });
    }
    if (isAdminToken(deps.admin, bearerToken(request.headers.authorization))) return;
    if (failed.note(address, nowMs)) {
      deps.logger.warn({ address }, 'too many wrong admin tokens from this address; it has to wait');
    }
    throw new Problem('token.invalid', 'Send the admin token as "Authorization: Bearer <token>".');
  };
}

/** "", which is nobody's token, for a header that holds none: it is compared all the same. */
function bearerToken(authorization: string | undefined): string {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
}

import { Problem } from '@ringfence/contract';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import { findToken, stateOf } from '../../access/tokens/api-tokens.ts';
import { FailedAttempts } from '../../platform/http/failed-attempts.ts';
import { isAdminToken } from '../../platform/secrets/admin-token.ts';
import type { ManagementDeps } from './management-deps.ts';

/**
 * Wrong tokens per address: a person makes a few typing errors, a script with an outdated token repeats it. At this
 * rate 256 bits cannot be guessed.
 */
const wrongTokens = { burst: 20, everyMs: 2_000 };

/**
 * Identifies a program by its bearer token: the admin token, or a token with scopes. The admin token is compared in
 * constant time, other tokens are found by their hash. An address that sent too many wrong tokens is rate-limited.
 *
 * @returns a function that throws Problem `token.invalid` or `rate.limited`
 */
export function bearerGuard(
  deps: Pick<ManagementDeps, 'admin' | 'pool' | 'senders' | 'now' | 'logger'>,
): (request: FastifyRequest) => Promise<Caller> {
  const failed = new FailedAttempts(wrongTokens);
  return async (request) => {
    const nowMs = deps.now();
    const address = deps.senders.addressOf(request.raw);
    const retryAfterSeconds = failed.waitSeconds(address, nowMs);
    if (retryAfterSeconds !== undefined) {
      throw new Problem('rate.limited', 'Too many wrong tokens from this address.', { retryAfterSeconds });
    }
    const given = bearerToken(request.headers.authorization);
    if (isAdminToken(deps.admin, given)) return { kind: 'machine' };
    const apiToken = await findToken(deps.pool, given, nowMs);
    const state = apiToken && stateOf(apiToken, nowMs);
    if (state === 'live') return { kind: 'token', apiToken: apiToken! };
    if (failed.note(address, nowMs)) {
      deps.logger.warn({ address }, 'too many wrong tokens from this address: further attempts are rate-limited');
    }
    if (apiToken === undefined) {
      throw new Problem(
        'token.invalid',
        'Send the admin token, or a token that it created, as "Authorization: Bearer <token>".',
      );
    }
    const end = new Date(apiToken.revokedAtMs ?? apiToken.expiresAtMs).toISOString();
    throw new Problem(
      'token.invalid',
      `The token "${apiToken.name}" ${state === 'ended' ? 'ended' : 'was revoked'} at ${end}.`,
    );
  };
}

/**
 * Returns "" for a header without a token: it matches no token, but is still compared, so that the work is the same.
 */
function bearerToken(authorization: string | undefined): string {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
}

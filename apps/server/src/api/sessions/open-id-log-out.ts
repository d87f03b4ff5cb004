import { Problem } from '@ringfence/contract';
import type { FastifyInstance } from 'fastify';
import { LogOutTokenError } from '../../access/accounts/log-out-token.ts';
import type { OpenIdLogIn } from '../../access/accounts/open-id.ts';
import { endSessionsAtProvider } from '../../access/accounts/sessions.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { noteAudit } from '../server/note-audit.ts';
import { openAttempts } from '../server/open-attempts.ts';

/** Below the API's prefix; it is registered with the provider. */
const path = '/session/openid/log-out';

/**
 * The provider tells that a person's sessions ended there: theirs here end at once. No person is at a browser, so the
 * answers are for the provider: 200, or a problem.
 *
 * Source: OpenID Connect Back-Channel Logout 1.0, sections 2.5 to 2.8.
 */
export async function serveOpenIdLogOut(api: FastifyInstance, deps: ManagementDeps, logIn: OpenIdLogIn): Promise<void> {
  const attempts = openAttempts(deps);
  // Of this scope: no other operation takes forms.
  await api.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_request: unknown, body: string) => new URLSearchParams(body),
    );
    scope.post(path, {
      ...attempts.limits,
      onRequest: (request) => attempts.admit(request),
      handler: async ({ body, id: requestId, raw }, reply) => {
        const token = body instanceof URLSearchParams ? body.get('logout_token') : null;
        if (token === null) throw refused('Send the member logout_token as a form.');
        const ended = await logIn.logOut(token, deps.now()).catch((error: unknown) => {
          if (!(error instanceof LogOutTokenError)) throw error;
          deps.logger.warn({ err: error, requestId }, 'a log-out of the OpenID provider was refused');
          throw refused('The log-out token is not valid.', error);
        });
        const sender = { caller: { kind: 'nobody' }, address: deps.senders.addressOf(raw), requestId } as const;
        for (const { email, sessions } of await endSessionsAtProvider(deps.pool, ended)) {
          const detail = { by: ended.issuer, sessions };
          await noteAudit(deps, sender, { action: 'openId.logOut', actor: email, detail });
        }
        return reply.code(200).send();
      },
    });
  });
}

function refused(detail: string, cause?: unknown): Problem {
  return new Problem('http.malformed', detail, { cause });
}

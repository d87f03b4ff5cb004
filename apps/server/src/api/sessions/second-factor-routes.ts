import { beginSecondFactor, confirmSecondFactor, removeSecondFactor } from '../../access/accounts/second-factor.ts';
import type { RequestContext } from '../server/request-context.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { provenRoute, type Route } from '../server/operation.ts';
import { proveAgainOrNote } from './prove-or-note.ts';
import { codeBody, provenBody, recoverySchema, setupSchema } from './session-schema.ts';
import { personOf } from './session-routes.ts';

const beginRoute = provenRoute(
  {
    id: 'beginSecondFactor',
    method: 'POST',
    path: '/session/second-factor',
    tag: 'session',
    needs: 'account',
    summary: 'Create a secret for an authenticator app',
    description: 'Log-in requires it only after a code was confirmed.',
    body: provenBody,
    example: { password: 'correct horse battery staple' },
    answer: { status: 201, description: 'The secret, which is shown only this once.', schema: setupSchema },
    problems: ['session.missing', 'login.refused', 'state.conflict', 'request.foreign'],
  },
  async (deps, { body }, exchange) => {
    const { account } = personOf(exchange).session;
    await prove(deps, { exchange, operation: 'beginSecondFactor', password: body.password });
    return () => beginSecondFactor(deps, account);
  },
);

const confirmRoute = provenRoute(
  {
    id: 'confirmSecondFactor',
    method: 'POST',
    path: '/session/second-factor/confirm',
    tag: 'session',
    needs: 'account',
    summary: 'Enable the second factor by its first code',
    body: codeBody,
    example: { code: '123456' },
    answer: {
      status: 200,
      description: 'It is enabled, and every other session of the account has ended.',
      schema: recoverySchema,
    },
    problems: ['session.missing', 'login.refused', 'state.conflict', 'request.foreign'],
  },
  async (deps, { body }, exchange) => {
    const { account, id: sessionId } = personOf(exchange).session;
    const proof = { sender: exchange, operation: 'confirmSecondFactor' };
    await proveAgainOrNote(deps, proof, async () => deps.logIns.countTry(account, exchange.address));
    const of = { accountId: account.id, sessionId, code: body.code, nowMs: deps.now() };
    return async () => ({ recoveryCodes: await proveAgainOrNote(deps, proof, () => confirmSecondFactor(deps, of)) });
  },
);

const removeRoute = provenRoute(
  {
    id: 'removeSecondFactor',
    method: 'POST',
    path: '/session/second-factor/remove',
    tag: 'session',
    needs: 'account',
    summary: 'Remove one’s own second factor and its recovery codes',
    body: provenBody,
    example: { password: 'correct horse battery staple' },
    answer: {
      status: 204,
      description: 'Log-in requires only the password; every other session of the account has ended.',
    },
    problems: ['session.missing', 'login.refused', 'request.foreign'],
  },
  async (deps, { body }, exchange) => {
    const { account, id } = personOf(exchange).session;
    await prove(deps, { exchange, operation: 'removeSecondFactor', password: body.password });
    return () => removeSecondFactor(deps.pool, account.id, id);
  },
);

function prove(
  deps: ManagementDeps,
  of: { readonly exchange: RequestContext; readonly operation: string; readonly password: string },
): Promise<string> {
  const { exchange, operation, password } = of;
  const { account } = personOf(exchange).session;
  return proveAgainOrNote(deps, { sender: exchange, operation }, () =>
    deps.logIns.proveAgain(account, password, exchange.address),
  );
}

/** The second factor of the logged-in person. */
export const secondFactorRoutes: readonly Route[] = [beginRoute, confirmRoute, removeRoute];

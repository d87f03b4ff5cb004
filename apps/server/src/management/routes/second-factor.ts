import { beginSecondFactor, confirmSecondFactor, removeSecondFactor } from '../../accounts/second-factor.ts';
import { type Route, route } from '../operation.ts';
import { codeBody, provenBody, recoverySchema, setupSchema } from '../schemas/session-schema.ts';
import { personOf } from './session.ts';

const beginRoute = route(
  {
    id: 'beginSecondFactor',
    method: 'POST',
    path: '/session/second-factor',
    tag: 'session',
    needs: 'account',
    summary: 'Make a secret for an authenticator app',
    description: 'Nothing is asked for at log-in before a code of it was confirmed.',
    body: provenBody,
    example: { password: 'correct horse battery staple' },
    answer: { status: 201, description: 'The secret, shown this once.', schema: setupSchema },
    problems: ['session.missing', 'login.refused', 'state.conflict', 'request.foreign'],
  },
  async (deps, { body }, exchange) => {
    const { account } = personOf(exchange).session;
    await deps.logIns.proveAgain(account, body.password, exchange.address);
    return beginSecondFactor(deps, account);
  },
);

const confirmRoute = route(
  {
    id: 'confirmSecondFactor',
    method: 'POST',
    path: '/session/second-factor/confirm',
    tag: 'session',
    needs: 'account',
    summary: 'Put the second factor in force by its first code',
    body: codeBody,
    example: { code: '123456' },
    answer: { status: 200, description: 'It is in force.', schema: recoverySchema },
    problems: ['session.missing', 'login.refused', 'state.conflict', 'request.foreign'],
  },
  async (deps, { body }, exchange) => {
    const { account } = personOf(exchange).session;
    deps.logIns.countTry(account, exchange.address);
    const of = { accountId: account.id, code: body.code, nowMs: deps.now() };
    return { recoveryCodes: await confirmSecondFactor(deps, of) };
  },
);

const removeRoute = route(
  {
    id: 'removeSecondFactor',
    method: 'POST',
    path: '/session/second-factor/remove',
    tag: 'session',
    needs: 'account',
    summary: 'Take the own second factor away, with its recovery codes',
    body: provenBody,
    example: { password: 'correct horse battery staple' },
    answer: { status: 204, description: 'Nothing but the password is asked for at log-in.' },
    problems: ['session.missing', 'login.refused', 'request.foreign'],
  },
  async (deps, { body }, exchange) => {
    const { account } = personOf(exchange).session;
    await deps.logIns.proveAgain(account, body.password, exchange.address);
    await removeSecondFactor(deps.pool, account.id);
  },
);

/** The second factor of whoever is logged in. */
export const secondFactorRoutes: readonly Route[] = [beginRoute, confirmRoute, removeRoute];

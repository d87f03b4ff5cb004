import { assert, Problem } from '@ringfence/contract';
import type { Type } from 'typebox';
import { changeAccount, findAccount, hasAccounts } from '../../access/accounts/account-rows.ts';
import { acceptFirst, acceptInvitation, needInvitation } from '../../access/accounts/invitations.ts';
import { type Credentials, type ProvenAccount, unlessBusy } from '../../access/accounts/log-ins.ts';
import { deviceCookie } from '../../access/accounts/device-cookie.ts';
import { hashPassword } from '../../access/accounts/password-hash.ts';
import { secretTokenHash } from '../../access/accounts/secret-token.ts';
import { noSessionCookie, sessionCookie } from '../../access/accounts/session-cookie.ts';
import {
  type ConsoleSession,
  endFormerSession,
  endSession,
  findSession,
  openSession,
  replacePassword,
} from '../../access/accounts/sessions.ts';
import type { RequestContext } from '../server/request-context.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import type { AuditAction } from '../../access/audit/audited-change.ts';
import { provenRoute, type Route, route } from '../server/operation.ts';
import { needPasswords, passwordsAreTaken } from './passwords.ts';
import { proveAgainOrNote, proveOrNote } from './prove-or-note.ts';
import {
  acceptedSchema,
  firstBody,
  invitationBody,
  logInBody,
  optionsSchema,
  ownChangeBody,
  passwordChangeBody,
  printSession,
  sessionSchema,
} from './session-schema.ts';

const optionsRoute = route(
  {
    id: 'readSessionOptions',
    method: 'GET',
    path: '/session/options',
    tag: 'session',
    needs: 'nothing',
    summary: 'The available ways to log in',
    answer: { status: 200, description: 'The ways.', schema: optionsSchema },
    problems: [],
  },
  async ({ pool, openId }) => {
    const areTaken = passwordsAreTaken({ openId });
    return {
      first: areTaken && !(await hasAccounts(pool)),
      password: areTaken,
      ...(openId === undefined ? {} : { openId: { name: openId.name, path: openId.path } }),
    };
  },
);

const readRoute = route(
  {
    id: 'readSession',
    method: 'GET',
    path: '/session',
    tag: 'session',
    needs: 'account',
    summary: 'Who is logged in, and what they may do',
    description:
      'A request with the header `X-Background: 1` does not extend the session; this applies to all operations of the API.',
    answer: { status: 200, description: 'The session.', schema: sessionSchema },
    problems: ['session.missing'],
  },
  async (deps, _given, exchange) => {
    const { session, token } = personOf(exchange);
    return printSession(session, token, deps.registry.all());
  },
);

const logInRoute = provenRoute(
  {
    id: 'openSession',
    method: 'POST',
    path: '/session',
    tag: 'session',
    needs: 'nothing',
    summary: 'Log in',
    description:
      'The cookie `__Host-ringfence` carries the session token. The cookie `__Host-ringfence-device` lets this browser try apart from others that guess. An account with a second factor also needs a code: `code.required`.',
    body: logInBody,
    example: { email: 'mara@bank.example', password: 'correct horse battery staple', code: '123456' },
    answer: { status: 201, description: 'The session.', schema: sessionSchema },
    problems: ['login.refused', 'code.required', 'request.foreign', 'owner.config'],
  },
  async (deps, { body }, exchange) => {
    needPasswords(deps);
    const refused = (): Promise<AuditAction> => refusedLogIn(deps, body);
    const prove = (): Promise<ProvenAccount> => deps.logIns.prove(body, exchange);
    const proven = await proveOrNote(deps, { sender: exchange, refused, prove });
    return () => enter(deps, exchange, proven);
  },
);

const logOutRoute = route(
  {
    id: 'endSession',
    method: 'DELETE',
    path: '/session',
    tag: 'session',
    needs: 'account',
    summary: 'Log out',
    answer: { status: 204, description: 'The session has ended.' },
    problems: ['session.missing', 'request.foreign'],
  },
  async ({ pool }, _given, exchange) => {
    await endSession(pool, personOf(exchange).session.id);
    exchange.setCookie(noSessionCookie);
  },
);

const firstRoute = provenRoute(
  {
    id: 'openFirstSession',
    method: 'POST',
    path: '/session/first',
    tag: 'session',
    needs: 'nothing',
    summary: 'Create the first administrator, with the link that the service printed',
    description: 'Works once, while there is no account, and within an hour of the start.',
    body: firstBody,
    example: { token: 'pXg0…', email: 'mara@bank.example', name: 'Mara', password: 'correct horse battery staple' },
    answer: { status: 201, description: 'The session.', schema: sessionSchema },
    problems: ['invitation.invalid', 'request.foreign', 'owner.config'],
  },
  async (deps, { body: { token, password, ...person } }, exchange) => {
    needPasswords(deps);
    await needInvitation(deps.pool, token, { isFirst: true, nowMs: deps.now() });
    const hashed = await unlessBusy(() => hashPassword(password));
    return async () => {
      const account = await acceptFirst(deps.pool, token, { ...person, password: hashed, nowMs: deps.now() });
      return enter(deps, exchange, { account, passwordHash: hashed });
    };
  },
);

const invitationRoute = provenRoute(
  {
    id: 'acceptInvitation',
    method: 'POST',
    path: '/session/invitation',
    tag: 'session',
    needs: 'nothing',
    summary: 'Set the password of an account, with the link of an invitation',
    description: 'Its sessions end; a second factor is kept. Log in with the password afterwards.',
    body: invitationBody,
    example: { token: 'pXg0…', password: 'correct horse battery staple' },
    answer: { status: 200, description: 'The password is set.', schema: acceptedSchema },
    problems: ['invitation.invalid', 'request.foreign', 'owner.config'],
  },
  async (deps, { body: { token, password } }, exchange) => {
    needPasswords(deps);
    await needInvitation(deps.pool, token, { isFirst: false, nowMs: deps.now() });
    const hashed = await unlessBusy(() => hashPassword(password));
    return async () => {
      const { id, email } = await acceptInvitation(deps.pool, token, { password: hashed, nowMs: deps.now() });
      exchange.note({ actor: email, target: id });
      return { email };
    };
  },
);

const passwordRoute = provenRoute(
  {
    id: 'changePassword',
    method: 'PUT',
    path: '/session/password',
    tag: 'session',
    needs: 'account',
    summary: 'Change one’s own password',
    body: passwordChangeBody,
    example: { password: 'correct horse battery staple', newPassword: 'another horse another staple' },
    answer: { status: 204, description: 'It is changed, and every other session of the account has ended.' },
    problems: ['session.missing', 'login.refused', 'request.foreign'],
  },
  async (deps, { body }, exchange) => {
    const { session } = personOf(exchange);
    const { account } = session;
    const before = await proveAgainOrNote(deps, { sender: exchange, operation: 'changePassword' }, () =>
      deps.logIns.proveAgain(account, body.password, exchange.address),
    );
    const after = await unlessBusy(() => hashPassword(body.newPassword));
    return () => replacePassword(deps.pool, account.id, { before, after, sessionId: session.id });
  },
);

const changeRoute = route(
  {
    id: 'changeOwnAccount',
    method: 'PATCH',
    path: '/session/account',
    tag: 'session',
    needs: 'account',
    summary: 'Change one’s own name or language',
    body: ownChangeBody,
    example: { language: 'es' },
    answer: { status: 200, description: 'The session.', schema: sessionSchema },
    problems: ['session.missing', 'request.foreign'],
  },
  async (deps, { body }, exchange) => {
    const { session, token } = personOf(exchange);
    const account = await changeAccount(deps.pool, session.account.id, body);
    return printSession({ ...session, account }, token, deps.registry.all());
  },
);

/** Opens a session for an authenticated account, and sets its cookie. */
async function enter(
  deps: ManagementDeps,
  exchange: RequestContext,
  { account: { id: accountId, email, hasSecondFactor }, passwordHash }: ProvenAccount,
): Promise<Type.Static<typeof sessionSchema>> {
  const { address, agent, sessionToken } = exchange;
  const nowMs = deps.now();
  if (sessionToken !== undefined) await endFormerSession(deps.pool, secretTokenHash(sessionToken));
  const proof = { passwordHash, hasSecondFactor };
  const { token } = await openSession(deps.pool, { accountId, proof, address, agent, nowMs });
  const session = await findSession(deps.pool, token, { nowMs, isUse: false });
  // The account was disabled between the proof and this.
  if (session === undefined) throw new Problem('login.refused', 'The account is disabled.');
  exchange.setCookie(sessionCookie(token));
  exchange.setCookie(deviceCookie(deps.master, email, nowMs));
  exchange.note({ actor: email, target: session.id });
  return printSession(session, token, deps.registry.all());
}

/** The account as the actor of the entry, if there is one. */
async function refusedLogIn({ pool }: Pick<ManagementDeps, 'pool'>, credentials: Credentials): Promise<AuditAction> {
  const known = await findAccount(pool, credentials.email);
  // People type passwords into the field for the address by mistake: a text that is not an account is not stored.
  return { action: 'logIn.refused', actor: known?.email ?? 'unknown' };
}

/** The person who calls an operation that needs an account. */
export function personOf({ caller }: RequestContext): { readonly session: ConsoleSession; readonly token: string } {
  assert(caller.kind === 'person', 'an operation that needs an account has the session of a person');
  return caller;
}

/** Sessions of the console: log-in, log-out, and people's own settings. */
export const sessionRoutes: readonly Route[] = [
  optionsRoute,
  readRoute,
  logInRoute,
  logOutRoute,
  firstRoute,
  invitationRoute,
  passwordRoute,
  changeRoute,
];

import { Problem } from '@ringfence/contract';
import { Type } from 'typebox';
import {
  changeAccount,
  createAccount,
  listAccounts,
  readAccount,
  removeAccount,
} from '../../access/accounts/account-rows.ts';
import { invite, type Invitation } from '../../access/accounts/invitations.ts';
import { everywhere, type Roles } from '../../access/accounts/roles.ts';
import { removeSecondFactor } from '../../access/accounts/second-factor.ts';
import { endSession, endSessionsOf, listSessions } from '../../access/accounts/sessions.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Route, route } from '../server/operation.ts';
import { needPasswords } from '../sessions/passwords.ts';
import {
  accountChangeBody,
  accountSchema,
  inAccount,
  inAccountSession,
  invitationSchema,
  invitedAccountSchema,
  listedSessionSchema,
  newAccountBody,
  printAccount,
  readRoles,
} from './account-schema.ts';
import { count, list } from '../server/members.ts';

const listRoute = route(
  {
    id: 'listAccounts',
    method: 'GET',
    path: '/accounts',
    tag: 'accounts',
    needs: 'administer',
    summary: 'List accounts',
    answer: {
      status: 200,
      description: 'All of them, by e-mail address; there are at most 2,000.',
      schema: Type.Object({ items: list(accountSchema) }),
    },
    problems: ['right.missing'],
  },
  async ({ pool }) => ({ items: (await listAccounts(pool)).map(printAccount) }),
);

const createRoute = route(
  {
    id: 'createAccount',
    method: 'POST',
    path: '/accounts',
    tag: 'accounts',
    needs: 'administer',
    summary: 'Create an account, with a link by which its owner sets a password',
    body: newAccountBody,
    example: { email: 'mara@bank.example', name: 'Mara', roles: [{ workspace: '*', roles: ['analyst'] }] },
    answer: {
      status: 201,
      description: 'The account and its link, which is shown only this once.',
      schema: invitedAccountSchema,
    },
    problems: ['right.missing', 'thing.unknown', 'state.conflict', 'owner.config'],
  },
  async (deps, { body: { roles, ...person } }, exchange) => {
    needPasswords(deps);
    const granted = knownRoles(deps, readRoles(roles));
    const account = await createAccount(deps.pool, { ...person, roles: granted });
    const invitation = printInvitation(await invite(deps.pool, account.id, deps.now()));
    exchange.note({ target: account.id, detail: { after: printAccount(account) } });
    return { ...printAccount(account), invitation };
  },
);

const readRoute = route(
  {
    id: 'readAccount',
    method: 'GET',
    path: '/accounts/{account}',
    tag: 'accounts',
    needs: 'administer',
    summary: 'One account with its open sessions',
    params: inAccount,
    answer: {
      status: 200,
      description: 'The account.',
      schema: Type.Object(
        { ...accountSchema.properties, sessions: list(listedSessionSchema, 'Newest first.') },
        { title: 'AccountDetail' },
      ),
    },
    problems: ['right.missing', 'thing.unknown'],
  },
  async ({ pool, now }, { params: { account: id } }) => {
    const account = await readAccount(pool, id);
    const sessions = await listSessions(pool, id, now());
    return {
      ...printAccount(account),
      sessions: sessions.map(({ openedAtMs, seenAtMs, ...rest }) => ({
        ...rest,
        openedAt: new Date(openedAtMs).toISOString(),
        seenAt: new Date(seenAtMs).toISOString(),
      })),
    };
  },
);

const changeRoute = route(
  {
    id: 'changeAccount',
    method: 'PATCH',
    path: '/accounts/{account}',
    tag: 'accounts',
    needs: 'administer',
    summary: 'Change name, language or roles of an account, or disable it',
    description:
      'Takes effect with the next request of each of its sessions. The last administrator cannot be removed or disabled.',
    params: inAccount,
    body: accountChangeBody,
    example: { roles: [{ workspace: '*', roles: ['viewer'] }], disabled: false },
    answer: { status: 200, description: 'The account as it is now.', schema: accountSchema },
    problems: ['right.missing', 'thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { account: id }, body: { roles, ...change } }, exchange) => {
    const granted = roles === undefined ? undefined : knownRoles(deps, readRoles(roles));
    const before = printAccount(await readAccount(deps.pool, id));
    const after = printAccount(await changeAccount(deps.pool, id, { ...change, roles: granted }));
    exchange.note({ target: id, detail: { before, after } });
    return after;
  },
);

const removeRoute = route(
  {
    id: 'removeAccount',
    method: 'DELETE',
    path: '/accounts/{account}',
    tag: 'accounts',
    needs: 'administer',
    summary: 'Remove an account; its sessions end',
    params: inAccount,
    answer: { status: 204, description: 'It is removed. Its entries stay in the audit log.' },
    problems: ['right.missing', 'thing.unknown', 'state.conflict'],
  },
  async ({ pool }, { params: { account: id } }, exchange) => {
    const before = printAccount(await removeAccount(pool, id));
    exchange.note({ target: id, detail: { before } });
  },
);

const inviteRoute = route(
  {
    id: 'inviteAccount',
    method: 'POST',
    path: '/accounts/{account}/invite',
    tag: 'accounts',
    needs: 'administer',
    summary: 'Create another link for setting the password of an account',
    description: 'For an owner who forgot it, or whose first link expired. Earlier links become invalid.',
    params: inAccount,
    answer: { status: 201, description: 'The link, which is shown only this once.', schema: invitationSchema },
    problems: ['right.missing', 'thing.unknown', 'state.conflict', 'owner.config'],
  },
  async ({ pool, now, openId }, { params: { account: id } }) => {
    needPasswords({ openId });
    const { issuer, disabledAtMs } = await readAccount(pool, id);
    if (disabledAtMs !== undefined) throw new Problem('state.conflict', 'This account is disabled. Enable it first.');
    if (issuer !== undefined)
      throw new Problem('state.conflict', `This account logs in by ${issuer}, so it has no password here.`);
    return printInvitation(await invite(pool, id, now()));
  },
);

const endAllRoute = route(
  {
    id: 'endAccountSessions',
    method: 'POST',
    path: '/accounts/{account}/sessions/end',
    tag: 'accounts',
    needs: 'administer',
    summary: 'End all sessions of an account immediately',
    params: inAccount,
    answer: {
      status: 200,
      description: 'They have ended.',
      schema: Type.Object({ ended: count('Sessions that were open.') }),
    },
    problems: ['right.missing', 'thing.unknown'],
  },
  async ({ pool }, { params: { account: id } }) => {
    await readAccount(pool, id);
    return { ended: await endSessionsOf(pool, id) };
  },
);

const endOneRoute = route(
  {
    id: 'endAccountSession',
    method: 'DELETE',
    path: '/accounts/{account}/sessions/{session}',
    tag: 'accounts',
    needs: 'administer',
    summary: 'End one session of an account immediately',
    params: inAccountSession,
    answer: { status: 204, description: 'It has ended.' },
    problems: ['right.missing', 'thing.unknown'],
  },
  async ({ pool, now }, { params: { account: id, session } }) => {
    const open = await listSessions(pool, (await readAccount(pool, id)).id, now());
    if (open.some((one) => one.id === session) && (await endSession(pool, session))) return;
    throw new Problem('thing.unknown', `There is no session ${session} of this account.`);
  },
);

const factorRoute = route(
  {
    id: 'removeAccountSecondFactor',
    method: 'POST',
    path: '/accounts/{account}/second-factor/remove',
    tag: 'accounts',
    needs: 'administer',
    summary: 'Remove the second factor of a person who lost it',
    params: inAccount,
    answer: { status: 204, description: 'Log-in requires only the password. The sessions of the account have ended.' },
    problems: ['right.missing', 'thing.unknown'],
  },
  async ({ pool }, { params: { account: id } }) => {
    await readAccount(pool, id);
    await removeSecondFactor(pool, id);
  },
);

/** @throws Problem `thing.unknown` if a workspace does not exist */
function knownRoles({ registry }: ManagementDeps, granted: Roles): Roles {
  for (const workspace of Object.keys(granted)) {
    if (workspace === everywhere || registry.byId(workspace) !== undefined) continue;
    throw new Problem('thing.unknown', `There is no workspace with the id "${workspace}".`);
  }
  return granted;
}

function printInvitation({ token, expiresAtMs }: Invitation): Type.Static<typeof invitationSchema> {
  return { token, path: `/console/invitation#token=${token}`, expiresAt: new Date(expiresAtMs).toISOString() };
}

/** Accounts of the console’s users, managed by administrators of the installation. */
export const accountRoutes: readonly Route[] = [
  listRoute,
  createRoute,
  readRoute,
  changeRoute,
  removeRoute,
  inviteRoute,
  endAllRoute,
  endOneRoute,
  factorRoute,
];

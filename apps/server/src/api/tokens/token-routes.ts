import { Type } from 'typebox';
import { everywhere } from '../../access/accounts/roles.ts';
import { nameOf } from '../../access/caller.ts';
import { createToken, listTokens, revokeToken } from '../../access/tokens/api-tokens.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { list } from '../server/members.ts';
import { type Route, route } from '../server/operation.ts';
import { inToken, newTokenBody, newTokenSchema, printToken, tokenSchema } from './token-schema.ts';

const listRoute = route(
  {
    id: 'listTokens',
    method: 'GET',
    path: '/tokens',
    tag: 'tokens',
    needs: 'administer',
    summary: 'List tokens',
    answer: {
      status: 200,
      description: 'All of them, revoked ones included, newest first, without their text; there are at most 1,000.',
      schema: Type.Object({ items: list(tokenSchema) }),
    },
    problems: ['right.missing'],
  },
  async ({ pool, now }) => ({ items: (await listTokens(pool)).map((token) => printToken(token, now())) }),
);

const createRoute = route(
  {
    id: 'createToken',
    method: 'POST',
    path: '/tokens',
    tag: 'tokens',
    needs: 'administer',
    summary: 'Create a token for a program',
    description: 'Give it only the scopes and workspaces that the program needs. It cannot be changed, only revoked.',
    body: newTokenBody,
    example: { name: 'chargebacks', scopes: ['labels:write'], workspaces: ['acme:production'], days: 90 },
    answer: {
      status: 201,
      description: 'The token, with its text, which is shown only this once.',
      schema: newTokenSchema,
    },
    problems: ['right.missing', 'thing.unknown', 'state.conflict'],
  },
  async (deps, { body: { name, scopes, workspaces: named, days } }, exchange) => {
    const workspaces = await Promise.all(
      named.map(async (workspace) =>
        workspace === everywhere ? workspace : (await findWorkspace(deps, { workspace })).id,
      ),
    );
    const createdBy = nameOf(exchange.caller);
    const { token, text } = await createToken(deps.pool, {
      name,
      scopes,
      workspaces,
      days,
      createdBy,
      nowMs: deps.now(),
    });
    const printed = printToken(token, deps.now());
    exchange.note({ target: token.id, detail: { after: printed } });
    return { ...printed, text };
  },
);

const revokeRoute = route(
  {
    id: 'revokeToken',
    method: 'POST',
    path: '/tokens/{token}/revoke',
    tag: 'tokens',
    needs: 'administer',
    summary: 'Revoke a token permanently; every process refuses it immediately',
    params: inToken,
    answer: { status: 200, description: 'The token as it is now.', schema: tokenSchema },
    problems: ['right.missing', 'thing.unknown'],
  },
  async ({ pool, now }, { params: { token } }, exchange) => {
    const revoked = await revokeToken(pool, token, now());
    exchange.note({ target: revoked.id, detail: { name: revoked.name } });
    return printToken(revoked, now());
  },
);

/** Tokens of the management API: created with a name, scopes, workspaces and an end; revoked. */
export const tokenRoutes: readonly Route[] = [listRoute, createRoute, revokeRoute];

import { Problem } from '@ringfence/contract';
import type { FastifyRequest } from 'fastify';
import { type Caller, rightsOf } from '../../access/caller.ts';
import { type ApiToken, isForWorkspace } from '../../access/tokens/api-tokens.ts';
import { everywhere } from '../../access/accounts/roles.ts';
import { findWorkspace } from './find-workspace.ts';
import { refuseForeign } from './identify.ts';
import type { ManagementDeps } from './management-deps.ts';
import { type Operation, scopeOf } from './operation.ts';

const nobody: Caller = { kind: 'nobody' };

/**
 * Authorizes a request for its operation. A caller without any right in a workspace gets the same answer as for a
 * workspace that does not exist; a caller who lacks only the required right or scope learns which one it is.
 *
 * @throws Problem `thing.unknown`, `right.missing`, `session.missing` and those of `identifier`
 */
export async function authorize(
  deps: ManagementDeps,
  operation: Operation,
  of: { readonly request: FastifyRequest; readonly identify: (request: FastifyRequest) => Promise<Caller> },
): Promise<Caller> {
  const { request, identify } = of;
  if (operation.needs === 'nothing') {
    if (operation.method !== 'GET') refuseForeign(deps, request);
    return nobody;
  }
  const caller = await identify(request);
  if (caller.kind === 'machine' || caller.kind === 'token') {
    if (operation.needs !== 'account') {
      if (caller.kind === 'token') await authorizeToken(deps, operation, { request, token: caller.apiToken });
      return caller;
    }
    throw new Problem('session.missing', 'This operation concerns a person’s own account; a token has no account.');
  }
  if (operation.needs === 'account' || operation.needs === 'login') return caller;
  const { workspace } = request.params as { readonly workspace?: string };
  const place = workspace === undefined ? everywhere : (await findWorkspace(deps, { workspace })).id;
  const rights = rightsOf(caller, place);
  if (rights.includes(operation.needs)) return caller;
  if (rights.length === 0 && workspace !== undefined) throw unknownWorkspace(workspace);
  throw new Problem(
    'right.missing',
    `This needs the right "${operation.needs}"${workspace === undefined ? ' everywhere' : ''}.`,
  );
}

/** @throws Problem `thing.unknown` and `right.missing` */
async function authorizeToken(
  deps: ManagementDeps,
  operation: Operation,
  of: { readonly request: FastifyRequest; readonly token: ApiToken },
): Promise<void> {
  const { token } = of;
  const { workspace } = of.request.params as { readonly workspace?: string };
  // Lists only the workspaces of the token.
  const isOfAll = workspace === undefined && operation.needs !== 'login';
  const isHere = workspace === undefined || isForWorkspace(token, (await findWorkspace(deps, { workspace })).id);
  if (!isHere) throw unknownWorkspace(workspace);
  const scope = scopeOf(operation);
  if (scope === undefined)
    throw new Problem('right.missing', 'No token may do this; use the admin token or the console.');
  if (!token.scopes.includes(scope)) {
    const found = token.scopes.length === 0 ? 'none' : token.scopes.join(', ');
    throw new Problem('right.missing', `This needs the scope "${scope}". The token "${token.name}" has: ${found}.`);
  }
  if (isOfAll && !isForWorkspace(token, everywhere)) {
    throw new Problem('right.missing', `This needs a token for all workspaces. The token "${token.name}" is for some.`);
  }
}

function unknownWorkspace(workspace: string): Problem {
  return new Problem('thing.unknown', `There is no workspace "${workspace}"; /management/v1/workspaces lists them.`);
}

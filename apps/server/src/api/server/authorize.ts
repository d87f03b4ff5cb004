import { Problem } from '@ringfence/contract';
import type { FastifyRequest } from 'fastify';
import { type Caller, rightsOf } from '../../access/accounts/caller.ts';
import { everywhere } from '../../access/accounts/roles.ts';
import { findWorkspace } from './find-workspace.ts';
import { refuseForeign } from './identify.ts';
import type { ManagementDeps } from './management-deps.ts';
import type { Operation } from './operation.ts';

const nobody: Caller = { kind: 'nobody' };

/**
 * Authorizes a request for its operation. A caller without any right in a workspace gets the same answer as for a
 * workspace that does not exist; a caller who lacks only the required right learns which one it is.
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
  if (caller.kind === 'machine') {
    if (operation.needs !== 'account') return caller;
    throw new Problem(
      'session.missing',
      'This operation concerns a person’s own account; the admin token has no account.',
    );
  }
  if (operation.needs === 'account' || operation.needs === 'login') return caller;
  const { workspace } = request.params as { readonly workspace?: string };
  const place = workspace === undefined ? everywhere : (await findWorkspace(deps, { workspace })).id;
  const rights = rightsOf(caller, place);
  if (rights.includes(operation.needs)) return caller;
  if (rights.length === 0 && workspace !== undefined) {
    throw new Problem('thing.unknown', `There is no workspace "${workspace}"; /management/v1/workspaces lists them.`);
  }
  throw new Problem(
    'right.missing',
    `This needs the right "${operation.needs}"${workspace === undefined ? ' everywhere' : ''}.`,
  );
}

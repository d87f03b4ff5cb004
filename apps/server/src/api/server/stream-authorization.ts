import { homeOf } from '../../platform/database/cell.ts';
import { may } from '../../access/caller.ts';
import { isTokenLive } from '../../access/tokens/api-tokens.ts';
import type { Right } from '../../access/accounts/roles.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { RequestContext } from './request-context.ts';
import type { ManagementDeps } from './management-deps.ts';
import { sessionOf } from '../sessions/passwords.ts';

/**
 * Whether the stream of this exchange may continue. An open page does not extend its session: the stream ends when the
 * session expires, and immediately when an administrator ends the session, removes a required right or revokes the
 * token.
 */
export async function isStreamAuthorized(
  deps: Pick<ManagementDeps, 'pool' | 'cell' | 'now' | 'openId'>,
  of: { readonly workspace: Workspace; readonly exchange: Pick<RequestContext, 'caller'>; readonly needs: Right },
): Promise<boolean> {
  const { workspace, needs } = of;
  const { caller } = of.exchange;
  if (caller.kind === 'token') return isTokenLive(homeOf(deps), caller.apiToken.id, deps.now());
  if (caller.kind !== 'person') return true;
  const session = await sessionOf({ ...deps, pool: homeOf(deps) }, caller.token, false);
  return session !== undefined && may({ ...caller, session }, needs, workspace.id);
}

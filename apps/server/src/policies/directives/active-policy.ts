import { Problem } from '@ringfence/contract';
import type { Policy } from '@ringfence/policy';
import type { Pool } from 'pg';
import { policiesOf } from '../policy-cache.ts';
import { PolicyVersionError } from '../stored-policy.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/**
 * The active policy of a workspace; `undefined` if it has none.
 *
 * @throws Problem `policy.invalid` if this release refuses it
 */
export async function activePolicy(pool: Pool, { id, policyVersion }: Workspace): Promise<Policy | undefined> {
  if (policyVersion === undefined) return undefined;
  try {
    return await policiesOf(pool).policy(id, policyVersion);
  } catch (cause) {
    throw cause instanceof PolicyVersionError ? new Problem('policy.invalid', `${cause.message}.`, { cause }) : cause;
  }
}

import type { Policy } from '@ringfence/policy';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { policyKey } from '../workspaces/stored-policy.ts';
import { checkPolicy, readPolicyFiles } from '../workspaces/policy-store.ts';
import type { Workspace } from '../workspaces/workspace.ts';

/** Compiling takes a hundred milliseconds, in which nobody else is answered. */
const compiled = new LRUCache<string, Policy>({ max: 16 });

/**
 * The policy that decides in a workspace; `undefined` while it has none.
 *
 * @throws Problem `policy.invalid` when this release refuses it
 */
export async function activePolicy(pool: Pool, { id, policyVersion }: Workspace): Promise<Policy | undefined> {
  if (policyVersion === undefined) return undefined;
  const key = await policyKey(pool, id, policyVersion);
  const kept = compiled.get(key);
  if (kept !== undefined) return kept;
  const { policy } = checkPolicy(await readPolicyFiles(pool, id, policyVersion));
  compiled.set(key, policy);
  return policy;
}

import { nameOf } from '../../access/caller.ts';
import type { PolicyWork } from '../../policies/policy-work.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import type { RequestContext } from '../server/request-context.ts';

/** Where the policies of a request are compiled: beside this thread, and no longer than the client waits for the answer. */
export function policyWorkOf(
  { policyWorkers }: Pick<ManagementDeps, 'policyWorkers'>,
  { caller, signal }: Pick<RequestContext, 'caller' | 'signal'>,
): PolicyWork {
  return policyWorkers.for({ by: nameOf(caller), signal });
}

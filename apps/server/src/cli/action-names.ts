import { actionText } from '@ringfence/policy';
import type { Pool } from 'pg';
import { PolicyVersionError, storedPolicy } from '../policies/stored-policy.ts';

/** Formats an action number with its name: `2 (Close session)`. */
export type ActionNames = (action: number) => string;

/** The action names of a policy version; only the wire contract's names if there is no version or it is not valid. */
export async function actionNames(pool: Pool, workspaceId: string, version: number | undefined): Promise<ActionNames> {
  const custom = version === undefined ? new Map<number, string>() : await customNames(pool, workspaceId, version);
  return (action) => actionText(action, custom);
}

async function customNames(pool: Pool, workspaceId: string, version: number): Promise<ReadonlyMap<number, string>> {
  try {
    return (await storedPolicy(pool, workspaceId, version)).actions;
  } catch (error) {
    if (error instanceof PolicyVersionError) return new Map();
    throw error;
  }
}

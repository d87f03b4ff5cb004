import { actionText } from '@ringfence/policy';
import type { Pool } from 'pg';
import { PolicyVersionError, storedPolicy } from '../policies/stored-policy.ts';

/** How people read an action: `2 (Close session)`. */
export type ActionNames = (action: number) => string;

/** The names of a policy version; without one, or where it cannot be read any more, those of the interface alone. */
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

/**
 * A stored policy may be refused by this release, after an upgrade or in a backup of an older release. Its workspace
 * then pauses: events are accepted and wait in the log, and other workspaces continue. Activating a valid version makes
 * it the replacement of the refused one. The replacement is stored, so that every replay uses the same version.
 */
import type { ClientBase, Pool } from 'pg';
import { PolicyVersionError, storedPolicy } from './stored-policy.ts';

export const refusedPolicySchema = `
-- The version that decides in place of one that a release refuses.
alter table policy_version add column replaced_by integer;

-- Workspaces that wait because the policy in force is refused.
create table engine_pause (
  workspace_id text primary key references workspace on delete cascade,
  version      integer not null,
  error        text not null,
  since        timestamptz not null default now()
);
`;

async function isRefused(database: Pool | ClientBase, workspaceId: string, version: number): Promise<boolean> {
  try {
    await storedPolicy(database, workspaceId, version);
    return false;
  } catch (error) {
    if (error instanceof PolicyVersionError) return true;
    throw error;
  }
}

/**
 * Stores the active version as the replacement of an older refused version that a replay needs, so that a replay does
 * not wait for a person. Does not affect what the workspace decides now.
 *
 * @returns the active version; `undefined` if it is the refused version itself, or is refused, too
 */
export async function replaceByActive(
  pool: Pool,
  workspaceId: string,
  { version }: PolicyVersionError,
): Promise<number | undefined> {
  const found = await pool.query<{ active: number }>(
    `select w.policy_version as active from workspace w join policy_version p on p.workspace_id = w.id
      where w.id = $1 and p.version = $2 and w.policy_version <> p.version`,
    [workspaceId, version],
  );
  const active = found.rows[0]?.active;
  if (active === undefined || (await isRefused(pool, workspaceId, active))) return undefined;
  await pool.query(
    `update policy_version set replaced_by = $3 where workspace_id = $1 and version = $2 and replaced_by is null`,
    [workspaceId, version, active],
  );
  return active;
}

/** Refused versions and their replacements. */
export async function readReplaced(pool: Pool, workspaceId: string): Promise<ReadonlyMap<number, number>> {
  const found = await pool.query<{ version: number; by: number }>(
    `select version, replaced_by as by from policy_version where workspace_id = $1 and replaced_by is not null`,
    [workspaceId],
  );
  return new Map(found.rows.map(({ version, by }) => [version, by]));
}

/** Why decisions of a refused version cannot be reproduced. */
export function replacedReason(version: number, by: number): string {
  return `decided by policy version ${version}, which is no longer valid; version ${by} replaces it`;
}

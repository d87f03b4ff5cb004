/**
 * A stored policy that this release refuses, after an upgrade or in a backup of an older one. Its workspace pauses: events
 * are accepted and wait in the log, other workspaces go on. Who activates a version that checks says what decides in its
 * place; that is noted with the refused version, so that every replay takes the same.
 */
import { loadPolicy, type PolicyFile } from '@ringfence/policy';
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

/**
 * Notes what decides in place of all versions that this release refuses, when the one in force is among them.
 *
 * @returns whether it was
 */
export async function replaceRefused(
  client: ClientBase,
  workspaceId: string,
  { active, by }: { readonly active: number | null; readonly by: number },
): Promise<boolean> {
  if (active === null || !(await isRefused(client, workspaceId, active))) return false;
  const versions = await client.query<{ version: number; files: readonly PolicyFile[] }>(
    `select version, files from policy_version where workspace_id = $1 and version <> $2 and replaced_by is null`,
    [workspaceId, by],
  );
  const refused = versions.rows
    .filter(({ files }) => !loadPolicy(files, { withTests: false }).ok)
    .map(({ version }) => version);
  await client.query(`update policy_version set replaced_by = $3 where workspace_id = $1 and version = any ($2)`, [
    workspaceId,
    refused,
    by,
  ]);
  return true;
}

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
 * Lets the version in force decide in place of an older one that this release refuses, wherever the log is stepped again:
 * nothing waits for a person there. What this workspace decides now is none of it.
 *
 * @returns the version in force; `undefined` where it is the refused one itself, or is refused as well
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

/** Versions that a release refused, and what decides in their place. */
export async function readReplaced(pool: Pool, workspaceId: string): Promise<ReadonlyMap<number, number>> {
  const found = await pool.query<{ version: number; by: number }>(
    `select version, replaced_by as by from policy_version where workspace_id = $1 and replaced_by is not null`,
    [workspaceId],
  );
  return new Map(found.rows.map(({ version, by }) => [version, by]));
}

/** Why decisions come out otherwise where a refused version decided. */
export function replacedReason(version: number, by: number): string {
  return `decided by policy version ${version}, which does not check any more; version ${by} decides in its place`;
}

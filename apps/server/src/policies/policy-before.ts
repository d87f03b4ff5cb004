import type { ClientBase, Pool } from 'pg';
import type { ModelControl } from '@ringfence/policy';
import type { PolicyWork } from './policy-work.ts';
import { restoreFiles, type StoredFile } from './stored-files.ts';
import { PolicyVersionError, resolveVersion } from './stored-policy.ts';

/** What the active version of a workspace means for the one that follows it. */
export interface PolicyBefore {
  readonly active: number | null;
  /** Of its features, or of those of its replacement. */
  readonly fingerprints: ReadonlySet<string>;
  /** Empty if this release refuses it. */
  readonly controls: readonly ModelControl[];
  /** If this release refuses the active version: all refused versions that have no replacement yet. */
  readonly refused: readonly number[] | undefined;
}

const nothing = { fingerprints: new Set<string>(), controls: [] };

/**
 * Compiles what is stored, outside of any transaction, because that takes time. The caller checks in its transaction
 * that `active` is still active.
 */
export async function readBefore(pool: Pool, workspaceId: string, work: PolicyWork): Promise<PolicyBefore> {
  const found = await pool.query<{ active: number | null }>(
    `select policy_version as active from workspace where id = $1`,
    [workspaceId],
  );
  const active = found.rows[0]?.active ?? null;
  if (active === null) return { active, ...nothing, refused: undefined };
  try {
    const { policy } = await resolveVersion(pool, { workspaceId, version: active }, (files) =>
      work({ kind: 'stored', files }),
    );
    const { fingerprints, controls } = policy;
    return { active, fingerprints: new Set(fingerprints), controls, refused: undefined };
  } catch (error) {
    if (!(error instanceof PolicyVersionError)) throw error;
    return { active, ...nothing, refused: await readRefused(pool, workspaceId, work) };
  }
}

async function readRefused(pool: Pool, workspaceId: string, work: PolicyWork): Promise<readonly number[]> {
  const { rows } = await pool.query<{ version: number; files: readonly StoredFile[] }>(
    `select version, files from policy_version where workspace_id = $1 and replaced_by is null`,
    [workspaceId],
  );
  const refused: number[] = [];
  for (const { version, files: stored } of rows) {
    const files = await restoreFiles(pool, stored);
    if (!(await work({ kind: 'stored', files })).ok) refused.push(version);
  }
  return refused;
}

/** Stores `by` as the replacement of all refused versions. */
export async function replaceRefused(
  client: ClientBase,
  workspaceId: string,
  { refused, by }: { readonly refused: readonly number[]; readonly by: number },
): Promise<void> {
  await client.query(
    `update policy_version set replaced_by = $3
      where workspace_id = $1 and version = any ($2) and version <> $3 and replaced_by is null`,
    [workspaceId, refused, by],
  );
}

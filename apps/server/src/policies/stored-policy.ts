import { loadPolicy, type Policy, type PolicyError, type PolicyFile } from '@ringfence/policy';
import type { ClientBase, Pool } from 'pg';
import { restoreFiles, type StoredFile } from './stored-files.ts';

/** A policy version that does not exist, or that this release refuses. */
export class PolicyVersionError extends Error {
  override readonly name = 'PolicyVersionError';
  readonly version: number;

  constructor(version: number, message: string) {
    super(message);
    this.version = version;
  }
}

/** The longest chain of replacements: each upgrade may add one. */
const replacementsMax = 100;

/** Identifies the content of a version. */
export interface PolicyIdentity {
  /** A digest of the files: equal for identical versions of all workspaces. */
  readonly text: string;
  /** A release refused it and stored a replacement, which is used if this release refuses it, too. */
  readonly isReplaced: boolean;
}

/**
 * Identifies the content of a version. Versions never change, but a failover may lose one, and a later version then
 * gets the same number.
 *
 * @throws PolicyVersionError
 */
export async function identifyPolicy(pool: Pool, workspaceId: string, version: number): Promise<PolicyIdentity> {
  const found = await pool.query<{ text: string; isReplaced: boolean }>(
    `select encode(sha256(convert_to(files::text, 'UTF8')), 'hex') as text, replaced_by is not null as "isReplaced"
       from policy_version where workspace_id = $1 and version = $2`,
    [workspaceId, version],
  );
  const row = found.rows[0];
  if (row === undefined) throw missingVersion(workspaceId, version);
  return row;
}

function missingVersion(workspaceId: string, version: number): PolicyVersionError {
  return new PolicyVersionError(version, `workspace ${workspaceId} has no policy version ${version}`);
}

/** The policy of a version, or of its replacement. @throws PolicyVersionError */
export async function storedPolicy(database: Pool | ClientBase, workspaceId: string, asked: number): Promise<Policy> {
  return (await decidingPolicy(database, workspaceId, asked)).policy;
}

/** The same, with the number of the version that is used. @throws PolicyVersionError */
export function decidingPolicy(
  database: Pool | ClientBase,
  workspaceId: string,
  version: number,
): Promise<{ readonly policy: Policy; readonly version: number }> {
  return resolveVersion(database, { workspaceId, version }, async (files) => loadPolicy(files, { withTests: false }));
}

type Loaded<Loads> =
  | { readonly ok: true; readonly policy: Loads }
  | { readonly ok: false; readonly errors: readonly PolicyError[] };

/**
 * Finds the version that decides: the given one or, if it does not load, the first one of its replacements that does.
 *
 * @throws PolicyVersionError
 */
export async function resolveVersion<Loads>(
  database: Pool | ClientBase,
  { workspaceId, version: asked }: { readonly workspaceId: string; readonly version: number },
  load: (files: readonly PolicyFile[]) => Promise<Loaded<Loads>>,
): Promise<{ readonly policy: Loads; readonly version: number }> {
  let version = asked;
  for (let hop = 0; hop < replacementsMax; hop++) {
    const found = await database.query<{ files: readonly StoredFile[]; replaced_by: number | null }>(
      `select files, replaced_by from policy_version where workspace_id = $1 and version = $2`,
      [workspaceId, version],
    );
    const row = found.rows[0];
    if (row === undefined) throw missingVersion(workspaceId, version);
    const loaded = await load(await restoreFiles(database, row.files));
    if (loaded.ok) return { policy: loaded.policy, version };
    if (row.replaced_by === null) throw new PolicyVersionError(version, refusal(version, loaded.errors));
    version = row.replaced_by;
  }
  throw new PolicyVersionError(asked, `policy version ${asked} is replaced more than ${replacementsMax} times`);
}

function refusal(version: number, errors: readonly PolicyError[]): string {
  const [first, ...others] = errors.filter(({ severity }) => severity === 'error');
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return `policy version ${version} is invalid: ${first!.file}:${first!.line}:${first!.column} ${first!.message}${more}`;
}

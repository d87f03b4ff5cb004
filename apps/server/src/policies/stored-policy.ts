import { loadPolicy, type Policy, type PolicyError, type PolicyFile } from '@ringfence/policy';
import type { ClientBase, Pool } from 'pg';

/** A stored policy version that is not there, or does not check any more. */
export class PolicyVersionError extends Error {
  override readonly name = 'PolicyVersionError';
  readonly version: number;

  constructor(version: number, message: string) {
    super(message);
    this.version = version;
  }
}

/** Of a chain of replacements: each comes of an upgrade. */
const replacementsMax = 100;

/** What a version is told from others by. */
export interface PolicyIdentity {
  /** The same for all, of whatever workspace, that say the same. */
  readonly text: string;
  /** A release refused it, and another one decides in its place where this one refuses it too. */
  readonly isReplaced: boolean;
}

/**
 * Names what a version says. Versions never change, but a fail-over may lose one, and another gets its number then.
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

/** The policy of a version, or of what decides in its place. @throws PolicyVersionError */
export async function storedPolicy(database: Pool | ClientBase, workspaceId: string, asked: number): Promise<Policy> {
  return (await decidingPolicy(database, workspaceId, asked)).policy;
}

/** With the version that it is of. @throws PolicyVersionError */
export async function decidingPolicy(
  database: Pool | ClientBase,
  workspaceId: string,
  asked: number,
): Promise<{ readonly policy: Policy; readonly version: number }> {
  let version = asked;
  for (let hop = 0; hop < replacementsMax; hop++) {
    const found = await database.query<{ files: readonly PolicyFile[]; replaced_by: number | null }>(
      `select files, replaced_by from policy_version where workspace_id = $1 and version = $2`,
      [workspaceId, version],
    );
    const row = found.rows[0];
    if (row === undefined) throw missingVersion(workspaceId, version);
    const loaded = loadPolicy(row.files, { withTests: false });
    if (loaded.ok) return { policy: loaded.policy, version };
    if (row.replaced_by === null) throw new PolicyVersionError(version, refusal(version, loaded.errors));
    version = row.replaced_by;
  }
  throw new PolicyVersionError(asked, `policy version ${asked} is replaced more than ${replacementsMax} times`);
}

function refusal(version: number, errors: readonly PolicyError[]): string {
  const [first, ...others] = errors.filter(({ severity }) => severity === 'error');
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return `policy version ${version} does not check: ${first!.file}:${first!.line}:${first!.column} ${first!.message}${more}`;
}

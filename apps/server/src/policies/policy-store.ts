import { hash } from 'node:crypto';
import { Problem } from '@ringfence/contract';
import { loadPolicy, type Policy, type PolicyError, type PolicyFile, withPacks } from '@ringfence/policy';
import { packNames, packText } from './policy-packs.ts';
import type { ClientBase, Pool } from 'pg';
import { replaceRefused } from './refused-policy.ts';
import { storedPolicy } from './stored-policy.ts';
import { cancelStarts, insertStart, type PlannedStart } from '../tenancy/workspaces/backfill-rows.ts';
import { agree } from '../tenancy/workspaces/settings-sync.ts';
import { inTransaction } from '../platform/database/transactions.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import { lockWorkspace, mayChange } from '../tenancy/workspaces/workspace-store.ts';
import type { Owner } from '../tenancy/workspaces/workspace.ts';

/** A version of a workspace's policy. Immutable; versions count from 1. */
export interface PolicyVersion {
  readonly version: number;
  /** SHA-256 of the policy's canonical text, hex: equal hashes decide equally. */
  readonly hash: string;
  readonly author: string;
  readonly comment: string;
  readonly createdAtMs: number;
  /** It is the one that was last activated. */
  readonly active: boolean;
}

export interface NewPolicy {
  readonly files: readonly PolicyFile[];
  readonly author: string;
  readonly comment: string;
  readonly actor: Owner;
  /** Applied only where this version decides: what another one changed meanwhile is not taken back unseen. */
  readonly ifVersion?: number | undefined;
  /** What features that the active version does not have begin with; left out: with nothing. */
  readonly start?: PlannedStart | undefined;
}

export interface AppliedPolicy {
  readonly version: number;
  /** False: the active version has the same files, and nothing was stored. */
  readonly changed: boolean;
  /** Its new features are being filled from history: the version before decides until then. */
  readonly folding: boolean;
  readonly warnings: readonly PolicyError[];
}

/**
 * Checks a policy, keeps it as the next version and lets it decide from its record in the log on.
 *
 * @throws Problem `policy.invalid` with every mistake, `owner.config`, `thing.unknown`, `log.unavailable`;
 *   `state.conflict` where `ifVersion` decides no more
 */
export async function applyPolicy(deps: WorkspaceDeps, workspaceId: string, wanted: NewPolicy): Promise<AppliedPolicy> {
  const { files, policy, warnings } = checkPolicy(wanted.files);
  const digest = hash('sha256', policy.canonical, 'buffer');
  const stored = await inTransaction(deps.pool, async (client) => {
    mayChange(await lockWorkspace(client, workspaceId, deps), 'policy', wanted.actor);
    const { highest, active, same } = await present(client, workspaceId, files);
    if (same && active !== null) return { version: active, changed: false, folding: false };
    refuseUnseen(wanted.ifVersion, active);
    const version = await insertVersion(client, workspaceId, { ...wanted, files, version: highest + 1, digest });
    const folding = await begin(client, workspaceId, { version, policy, active, start: wanted.start });
    return { version, changed: true, folding };
  });
  await agree(deps, workspaceId);
  return { ...stored, warnings };
}

/**
 * Checks a policy and keeps it as the next version, which does not decide before somebody activates it.
 *
 * @throws Problem `policy.invalid` with every mistake, `owner.config`, `thing.unknown`
 */
export async function keepPolicy(deps: WorkspaceDeps, workspaceId: string, wanted: NewPolicy): Promise<number> {
  const { files, policy } = checkPolicy(wanted.files);
  const digest = hash('sha256', policy.canonical, 'buffer');
  return inTransaction(deps.pool, async (client) => {
    mayChange(await lockWorkspace(client, workspaceId, deps), 'policy', wanted.actor);
    const { highest } = await present(client, workspaceId, files);
    return insertVersion(client, workspaceId, { ...wanted, files, version: highest + 1, digest });
  });
}

/** What another version changed meanwhile is not taken back unseen. @throws Problem `state.conflict` */
function refuseUnseen(ifVersion: number | undefined, active: number | null): void {
  if (ifVersion === undefined || ifVersion === active) return;
  throw new Problem(
    'state.conflict',
    `Version ${active} decides by now, and no more version ${ifVersion}: look at what it changed, then do it again.`,
  );
}

async function insertVersion(
  client: ClientBase,
  workspaceId: string,
  wanted: Omit<NewPolicy, 'actor'> & { readonly version: number; readonly digest: Buffer },
): Promise<number> {
  const { version, files, digest, author, comment } = wanted;
  await client.query(
    `insert into policy_version (workspace_id, version, files, hash, author, comment) values ($1, $2, $3, $4, $5, $6)`,
    [workspaceId, version, JSON.stringify(files), digest, author, comment],
  );
  return version;
}

/** The compiled policy, and its files with the packs that they use. @throws Problem `policy.invalid` with every mistake */
export function checkPolicy(given: readonly PolicyFile[]): {
  readonly files: readonly PolicyFile[];
  readonly policy: Policy;
  readonly warnings: readonly PolicyError[];
} {
  const files = withPacks(given, packText);
  const result = loadPolicy(files, { packNames: packNames() });
  if (result.ok) return { files, policy: result.policy, warnings: result.warnings };
  throw new Problem('policy.invalid', result.errors.map(policyErrorLine).join('\n'), {
    errors: result.errors.map((error) => ({
      pointer: `/files/${String(files.findIndex(({ path }) => path === error.file))}`,
      detail: policyErrorLine(error),
      expected: error.suggestion ?? '',
    })),
  });
}

/** `rules.yaml:12:7: message; suggestion`: what editors and terminals make a link of. */
export function policyErrorLine(error: PolicyError): string {
  const hint = error.suggestion === undefined ? '' : ` (${error.suggestion})`;
  return `${error.file}:${error.line}:${error.column}: ${error.message}${hint}`;
}

/**
 * Lets a version that is kept decide again: back to an older one, or forth.
 *
 * @returns whether its new features are being filled from history: the version before decides until then
 * @throws Problem `owner.config`, `thing.unknown`, `log.unavailable`; `policy.invalid` when this release refuses it;
 *   `state.conflict` where `ifVersion` decides no more, and the wanted version does not either
 */
export async function activatePolicy(
  deps: WorkspaceDeps,
  workspaceId: string,
  wanted: {
    readonly version: number;
    readonly actor: Owner;
    /** As of `NewPolicy`. */
    readonly ifVersion?: number | undefined;
    readonly start?: PlannedStart | undefined;
    /** What is changed in the same transaction. */
    readonly also?: (client: ClientBase) => Promise<void>;
  },
): Promise<{ readonly folding: boolean }> {
  const { version, actor, ifVersion, start, also } = wanted;
  const folding = await inTransaction(deps.pool, async (client) => {
    mayChange(await lockWorkspace(client, workspaceId, deps), 'policy', actor);
    const { policy } = checkPolicy(await readPolicyFiles(client, workspaceId, version));
    const { active } = await present(client, workspaceId, []);
    // Asked for again because its answer was lost, it decides already.
    if (version !== active) refuseUnseen(ifVersion, active);
    await also?.(client);
    return begin(client, workspaceId, { version, policy, active, start });
  });
  await agree(deps, workspaceId);
  return { folding };
}

/** Lets a version decide, at once or when its new features are filled; whether it waits for that. */
async function begin(
  client: ClientBase,
  workspaceId: string,
  { version, policy, active, start }: Beginning,
): Promise<boolean> {
  const isMending = await replaceRefused(client, workspaceId, { active, by: version });
  // A workspace that waits folds nothing: it begins at once.
  if (isMending || start === undefined || !hasNewFeatures(policy, await compiled(client, workspaceId, active))) {
    await setActive(client, workspaceId, version);
    return false;
  }
  await cancelStarts(client, workspaceId);
  await insertStart(client, workspaceId, { version, ...start });
  // Whoever decides it looks for what is to be folded when the workspace is changed.
  await client.query(`update workspace set changed_at = now() where id = $1`, [workspaceId]);
  return true;
}

interface Beginning {
  readonly version: number;
  readonly policy: Policy;
  readonly active: number | null;
  readonly start: PlannedStart | undefined;
}

/** Whether a policy has features that another one does not have: only these begin. */
function hasNewFeatures(policy: Policy, before: Policy | undefined): boolean {
  const known = new Set(before?.features.map(({ fingerprint }) => fingerprint));
  return policy.features.some(({ fingerprint }) => !known.has(fingerprint));
}

/** The policy of a version, or what decides in its place; `undefined` for none. */
async function compiled(client: ClientBase, workspaceId: string, version: number | null): Promise<Policy | undefined> {
  return version === null ? undefined : storedPolicy(client, workspaceId, version);
}

async function setActive(client: ClientBase, workspaceId: string, version: number): Promise<void> {
  await cancelStarts(client, workspaceId);
  await client.query(`update workspace set policy_version = $2, changed_at = now() where id = $1`, [
    workspaceId,
    version,
  ]);
}

async function present(
  database: Pool | ClientBase,
  workspaceId: string,
  files: readonly PolicyFile[],
): Promise<{ readonly highest: number; readonly active: number | null; readonly same: boolean }> {
  const found = await database.query<{ highest: number; active: number | null; same: boolean | null }>(
    `select (select coalesce(max(version), 0) from policy_version p where p.workspace_id = w.id) as highest,
            w.policy_version as active,
            (select files = $2::jsonb from policy_version a
              where a.workspace_id = w.id and a.version = w.policy_version) as same
       from workspace w where w.id = $1`,
    [workspaceId, JSON.stringify(files)],
  );
  const row = found.rows[0]!;
  return { ...row, same: row.same === true };
}

/** The version that these files are, or would get if they were applied now. */
export async function candidateVersion(pool: Pool, workspaceId: string, files: readonly PolicyFile[]): Promise<number> {
  const { highest, active, same } = await present(pool, workspaceId, files);
  return same && active !== null ? active : highest + 1;
}

/** Most versions that a list shows: the newest. */
const listedMax = 200;

/** The newest versions, newest first, at most 200. */
export async function listPolicies(pool: Pool, workspaceId: string): Promise<readonly PolicyVersion[]> {
  const found = await pool.query<{
    version: number;
    hash: Buffer;
    author: string;
    comment: string;
    created_at: Date;
    active: boolean;
  }>(
    `select p.version, p.hash, p.author, p.comment, p.created_at, p.version = w.policy_version as active
       from policy_version p join workspace w on w.id = p.workspace_id
      where p.workspace_id = $1 order by p.version desc limit $2`,
    [workspaceId, listedMax],
  );
  return found.rows.map((row) => ({
    version: row.version,
    hash: row.hash.toString('hex'),
    author: row.author,
    comment: row.comment,
    createdAtMs: row.created_at.getTime(),
    active: row.active,
  }));
}

/** The files of a version, as they were given. @throws Problem `thing.unknown` */
export async function readPolicyFiles(
  database: Pool | ClientBase,
  workspaceId: string,
  version: number,
): Promise<readonly PolicyFile[]> {
  const found = await database.query<{ files: readonly PolicyFile[] }>(
    `select files from policy_version where workspace_id = $1 and version = $2`,
    [workspaceId, version],
  );
  return found.rows[0]?.files ?? noVersion(version);
}

/** When a version was kept. @throws Problem `thing.unknown` */
export async function readKeptAt(pool: Pool, workspaceId: string, version: number): Promise<Date> {
  const found = await pool.query<{ created_at: Date }>(
    `select created_at from policy_version where workspace_id = $1 and version = $2`,
    [workspaceId, version],
  );
  return found.rows[0]?.created_at ?? noVersion(version);
}

function noVersion(version: number): never {
  throw new Problem('thing.unknown', `There is no policy version ${version} of this workspace.`);
}

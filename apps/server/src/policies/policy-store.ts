import { Problem } from '@ringfence/contract';
import { type PolicyError, type PolicyFile, printControl, raisedControl } from '@ringfence/policy';
import type { ClientBase, Pool } from 'pg';
import { type PolicyBefore, readBefore, replaceRefused } from './policy-before.ts';
import { type CheckedPolicy, type PolicyWork, workHere } from './policy-work.ts';
import { restoreFiles, storedForm, type StoredFile, storeFiles } from './stored-files.ts';
import { cancelBackfills, insertBackfill, type PlannedBackfill } from '../tenancy/workspaces/backfill-rows.ts';
import { syncSettings } from '../tenancy/workspaces/settings-sync.ts';
import { inTransaction } from '../platform/database/transactions.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import { lockWorkspace, mayChange } from '../tenancy/workspaces/workspace-store.ts';
import type { Environment, Owner } from '../tenancy/workspaces/workspace.ts';

/** A version of a workspace's policy. Immutable; version numbers start at 1. */
export interface PolicyVersion {
  readonly version: number;
  /** SHA-256 of the policy's canonical text, in hex: policies with equal hashes decide equally. */
  readonly hash: string;
  readonly author: string;
  readonly comment: string;
  readonly createdAtMs: number;
  /** Whether this version was last activated. */
  readonly active: boolean;
}

export interface NewPolicy {
  readonly files: readonly PolicyFile[];
  readonly author: string;
  readonly comment: string;
  readonly actor: Owner;
  /** Apply only if this version is active, so that a concurrent change is not reverted unseen. */
  readonly ifVersion?: number | undefined;
  /** The backfill of features that the active version does not have; absent: none. */
  readonly start?: PlannedBackfill | undefined;
  /** Where it is compiled; absent: in this thread. */
  readonly work?: PolicyWork | undefined;
}

export interface AppliedPolicy {
  readonly version: number;
  /** False if the active version has the same files; nothing was stored. */
  readonly changed: boolean;
  /** A feature backfill is running; the previous version stays active until it is done. */
  readonly folding: boolean;
  readonly warnings: readonly PolicyError[];
}

/**
 * Checks a policy, stores it as the next version and activates it. It takes effect with its record in the log.
 *
 * @throws Problem `policy.invalid` with every mistake, `owner.config`, `thing.unknown`, `log.unavailable`;
 *   `state.conflict` if `ifVersion` is not active any more, or for more control than the active version has
 */
export async function applyPolicy(deps: WorkspaceDeps, workspaceId: string, wanted: NewPolicy): Promise<AppliedPolicy> {
  const { work = workHere } = wanted;
  // An operator's file is not held to the smaller bound: a start must not fail by it after an upgrade.
  const environment = wanted.actor === 'api' ? await environmentOf(deps, workspaceId) : undefined;
  const checked = await work({ kind: 'check', files: wanted.files, environment });
  const { files, digest, warnings } = checked;
  const stored = await afterActive(deps, { workspaceId, work }, async (client, before) => {
    mayChange(await lockWorkspace(client, workspaceId, deps), 'policy', wanted.actor);
    const { highest, active, same } = await present(client, workspaceId, files);
    if (active !== before.active) return undefined;
    if (same && active !== null) return { version: active, changed: false, folding: false };
    refuseUnseen(wanted.ifVersion, active);
    refuseRaisedControl(before, checked, wanted.actor);
    const version = await insertVersion(client, workspaceId, { ...wanted, files, version: highest + 1, digest });
    const folding = await begin(client, workspaceId, { version, checked, before, start: wanted.start });
    return { version, changed: true, folding };
  });
  await syncSettings(deps, workspaceId);
  return { ...stored, warnings };
}

/**
 * Checks a policy and stores it as the next version, without activating it.
 *
 * @throws Problem `policy.invalid` with every mistake, `owner.config`, `thing.unknown`
 */
export async function keepPolicy(deps: WorkspaceDeps, workspaceId: string, wanted: NewPolicy): Promise<number> {
  const environment = await environmentOf(deps, workspaceId);
  const { files, digest } = await (wanted.work ?? workHere)({ kind: 'check', files: wanted.files, environment });
  return inTransaction(deps.pool, async (client) => {
    mayChange(await lockWorkspace(client, workspaceId, deps), 'policy', wanted.actor);
    const { highest } = await present(client, workspaceId, files);
    return insertVersion(client, workspaceId, { ...wanted, files, version: highest + 1, digest });
  });
}

/** @throws Problem `thing.unknown` */
async function environmentOf({ pool }: Pick<WorkspaceDeps, 'pool'>, workspaceId: string): Promise<Environment> {
  const found = await pool.query<{ environment: Environment }>(`select environment from workspace where id = $1`, [
    workspaceId,
  ]);
  const [row] = found.rows;
  if (row === undefined) throw new Problem('thing.unknown', `There is no workspace ${workspaceId}.`);
  return row.environment;
}

/**
 * A control share lets through what a model would stop, so one person alone does not raise it in any workspace.
 *
 * @throws Problem `state.conflict` if a control share is new, larger than that of the active version, or has a looser cap
 */
function refuseRaisedControl(
  before: Pick<PolicyBefore, 'controls'>,
  after: Pick<CheckedPolicy, 'controls'>,
  actor: Owner,
): void {
  const raised = raisedControl(before.controls, after.controls);
  if (raised === undefined) return;
  const wayOn =
    actor === 'config'
      ? 'A folder of the configuration file has no second person: leave `control` out of it, or leave `policy` out of the file and apply the policy in the console.'
      : 'Request the activation, in the console or by requestPolicy, and let another person approve it.';
  throw new Problem(
    'state.conflict',
    `Model ${raised.model} leaves more events alone than the active version does (control: ${printControl(raised)}), which takes a second person. ${wayOn}`,
  );
}

/** Prevents reverting a concurrent change unseen. @throws Problem `state.conflict` */
function refuseUnseen(ifVersion: number | undefined, active: number | null): void {
  if (ifVersion === undefined || ifVersion === active) return;
  throw new Problem(
    'state.conflict',
    `Version ${active} is active now, not version ${ifVersion}. Check what it changed, then try again.`,
  );
}

async function insertVersion(
  client: ClientBase,
  workspaceId: string,
  wanted: Omit<NewPolicy, 'actor'> & { readonly version: number; readonly digest: Uint8Array },
): Promise<number> {
  const { version, files, digest, author, comment } = wanted;
  await client.query(
    `insert into policy_version (workspace_id, version, files, hash, author, comment) values ($1, $2, $3, $4, $5, $6)`,
    [workspaceId, version, JSON.stringify(await storeFiles(client, files)), digest, author, comment],
  );
  return version;
}

/**
 * Activates a stored version, older or newer.
 *
 * @returns whether a feature backfill is running; the previous version stays active until it is done
 * @throws Problem `owner.config`, `thing.unknown`, `log.unavailable`; `policy.invalid` if this release refuses it;
 *   `state.conflict` if neither `ifVersion` nor the wanted version is active, or for more control by one person
 */
export async function activatePolicy(
  deps: WorkspaceDeps,
  workspaceId: string,
  wanted: {
    readonly version: number;
    readonly actor: Owner;
    /** As in `NewPolicy`. */
    readonly ifVersion?: number | undefined;
    readonly start?: PlannedBackfill | undefined;
    readonly work?: PolicyWork | undefined;
    /** Two persons agreed to the version: it may have a larger control share than the active one. */
    readonly isAgreed?: boolean;
    /** Further changes in the same transaction. */
    readonly also?: (client: ClientBase) => Promise<void>;
  },
): Promise<{ readonly folding: boolean }> {
  const { version, actor, ifVersion, start, work = workHere, isAgreed = false, also } = wanted;
  const environment = await environmentOf(deps, workspaceId);
  const stored = await readPolicyFiles(deps.pool, workspaceId, version);
  const checked = await work({ kind: 'check', files: stored, environment });
  const { folding } = await afterActive(deps, { workspaceId, work }, async (client, before) => {
    mayChange(await lockWorkspace(client, workspaceId, deps), 'policy', actor);
    const { active } = await present(client, workspaceId, []);
    if (active !== before.active) return undefined;
    // A retry after a lost answer finds the version already active.
    if (version !== active) refuseUnseen(ifVersion, active);
    if (!isAgreed) refuseRaisedControl(before, checked, actor);
    await also?.(client);
    return { folding: await begin(client, workspaceId, { version, checked, before, start }) };
  });
  await syncSettings(deps, workspaceId);
  return { folding };
}

/**
 * Makes a change that depends on the active version, in a transaction. Compiling that version takes time, so it is done
 * before; if another version was activated meanwhile, all of it is done again.
 *
 * @param change returns `undefined` if `before` is not active any more
 */
async function afterActive<Result>(
  { pool }: Pick<WorkspaceDeps, 'pool'>,
  { workspaceId, work }: { readonly workspaceId: string; readonly work: PolicyWork },
  change: (client: ClientBase, before: PolicyBefore) => Promise<Result | undefined>,
): Promise<Result> {
  for (;;) {
    const before = await readBefore(pool, workspaceId, work);
    const changed = await inTransaction(pool, (client) => change(client, before));
    if (changed !== undefined) return changed;
  }
}

/** Activates a version immediately, or after its feature backfill. @returns whether it waits for a backfill */
async function begin(
  client: ClientBase,
  workspaceId: string,
  { version, checked, before: { refused, fingerprints }, start }: Beginning,
): Promise<boolean> {
  if (refused !== undefined) await replaceRefused(client, workspaceId, { refused, by: version });
  const hasNewFeatures = checked.fingerprints.some((fingerprint) => !fingerprints.has(fingerprint));
  // A workspace that is paused by a refused policy runs no backfill: the version is activated immediately.
  if (refused !== undefined || start === undefined || !hasNewFeatures) {
    await setActive(client, workspaceId, version);
    return false;
  }
  await cancelBackfills(client, workspaceId);
  await insertBackfill(client, workspaceId, { version, ...start });
  // The partition owner checks for backfills when the workspace changes.
  await client.query(`update workspace set changed_at = now() where id = $1`, [workspaceId]);
  return true;
}

interface Beginning {
  readonly version: number;
  readonly checked: Pick<CheckedPolicy, 'fingerprints'>;
  readonly before: PolicyBefore;
  readonly start: PlannedBackfill | undefined;
}

async function setActive(client: ClientBase, workspaceId: string, version: number): Promise<void> {
  await cancelBackfills(client, workspaceId);
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
    [workspaceId, JSON.stringify(storedForm(files))],
  );
  const row = found.rows[0]!;
  return { ...row, same: row.same === true };
}

/** The version number that these files have, or would get if they were applied now. */
export async function candidateVersion(pool: Pool, workspaceId: string, files: readonly PolicyFile[]): Promise<number> {
  const { highest, active, same } = await present(pool, workspaceId, files);
  return same && active !== null ? active : highest + 1;
}

/** The most versions that a list returns: the newest. */
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

/** The stored files of a version. @throws Problem `thing.unknown` */
export async function readPolicyFiles(
  database: Pool | ClientBase,
  workspaceId: string,
  version: number,
): Promise<readonly PolicyFile[]> {
  const found = await database.query<{ files: readonly StoredFile[] }>(
    `select files from policy_version where workspace_id = $1 and version = $2`,
    [workspaceId, version],
  );
  return restoreFiles(database, found.rows[0]?.files ?? noVersion(version));
}

/** When a version was stored. @throws Problem `thing.unknown` */
export async function readKeptAt(pool: Pool, workspaceId: string, version: number): Promise<Date> {
  const found = await pool.query<{ created_at: Date }>(
    `select created_at from policy_version where workspace_id = $1 and version = $2`,
    [workspaceId, version],
  );
  return found.rows[0]?.created_at ?? noVersion(version);
}

function noVersion(version: number): never {
  throw new Problem('thing.unknown', `This workspace has no policy version ${version}.`);
}

/**
 * Applies the workspaces of the configuration file to the database. Everything has one owner:
 *
 *   declared in the file      the file owns settings and channels, and also license keys and policy if the declaration
 *                             includes them. The management API and the commands can only read them.
 *   not in the file           owned by the management API
 *   removed from the file     kept unchanged, and now owned by the management API: editing a file destroys no data
 *
 * Only a changed declaration is applied, so a restart does not undo later changes (a revoked key). A revoked key is
 * never made live again.
 */
import { findPlace } from '../tenancy/cells/workspace-places.ts';
import { homeOf, nameOfDatabase, type OfCell } from '../platform/database/cell.ts';
import { assert } from '@ringfence/contract';
import type { ClientBase } from 'pg';
import { blindIndex } from '../platform/secrets/blind-index.ts';
import { type KeySync, refuseForeignKeys, syncLicenseKeys } from '../tenancy/workspaces/declared-keys.ts';
import type { NewLicenseKey } from '../tenancy/workspaces/license-keys.ts';
import { syncSettings } from '../tenancy/workspaces/settings-sync.ts';
import { applyPolicy } from '../policies/policy-store.ts';
import { publicWorkspace } from '../tenancy/workspaces/public-settings.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import { createWorkspace, readWorkspace, writeDefinition } from '../tenancy/workspaces/workspace-store.ts';
import type { Environment, Workspace } from '../tenancy/workspaces/workspace.ts';
import type { Configuration, DeclaredWorkspace } from './configuration.ts';
import { StartAudit } from './start-audit.ts';

export interface ReconcileReport {
  /** Created workspaces, with their generated keys, which are shown once. */
  readonly made: readonly {
    readonly label: string;
    readonly environment: Environment;
    readonly keys: readonly NewLicenseKey[];
  }[];
  /** Workspaces whose declaration changed, or which the file now owns. */
  readonly applied: readonly string[];
  /** Workspaces removed from the file. */
  readonly released: readonly string[];
  readonly warnings: readonly string[];
}

/** The label of a workspace: `acme/production`. */
export function labelOf(workspace: { readonly name: string; readonly environment: Environment }): string {
  return `${workspace.name}/${workspace.environment}`;
}

interface Report {
  readonly made: ReconcileReport['made'][number][];
  readonly applied: string[];
  readonly released: string[];
  readonly warnings: string[];
}

interface ReconcileDeps extends WorkspaceDeps {
  readonly now: () => number;
}

/** Dependencies of the steps of one start. */
interface By extends ReconcileDeps {
  readonly audit: StartAudit;
  readonly report: Report;
}

/**
 * Applies the declared workspaces, in one process at a time. Idempotent: after a crash the next start applies the rest.
 * Changes are recorded in the audit log.
 *
 * @throws OperatorError if a declared license key belongs to another workspace
 */
export function reconcile(configuration: Configuration, deps: ReconcileDeps): Promise<ReconcileReport> {
  return oneAtATime(deps, async () => {
    const report: Report = { made: [], applied: [], released: [], warnings: [] };
    const { file, workspaces } = configuration;
    if (workspaces === undefined) {
      await warnOfAbsentFile(deps, report);
      return report;
    }
    assert(file !== undefined, 'workspaces are declared in a file');
    const by = { ...deps, report, audit: new StartAudit({ ...deps, origin: { file } }) };
    await release(by, workspaces);
    for (const declared of await declaredHere(workspaces, deps)) await reconcileOne(by, declared);
    return report;
  });
}

/** The declared workspaces that lie in this database, or are to be created in it. */
export async function declaredHere(
  workspaces: readonly DeclaredWorkspace[],
  deps: OfCell,
): Promise<readonly DeclaredWorkspace[]> {
  const here: DeclaredWorkspace[] = [];
  for (const declared of workspaces) {
    const database = (await findPlace(homeOf(deps), declared)) ?? declared.database;
    if (database === nameOfDatabase(deps)) here.push(declared);
  }
  return here;
}

/**
 * Stores the renewed files of a declaration, if that declaration is still the stored one. Returns `other` if another
 * process was started with a different declaration, which must not be overwritten.
 */
export function renewDeclared(
  deps: ReconcileDeps,
  { from, to, file }: { readonly from: DeclaredWorkspace; readonly to: DeclaredWorkspace; readonly file: string },
): Promise<'renewed' | 'there already' | 'other'> {
  return oneAtATime(deps, async () => {
    const found = await deps.pool.query<{ id: string; declaration: Buffer | null }>(
      `select id, declaration from workspace
        where name = $1 and environment = $2 and settings_owner = 'config' and placement = 'here'`,
      [from.name, from.environment],
    );
    const { id, declaration } = found.rows[0] ?? { id: '', declaration: null };
    if (declaration === null) return 'other';
    const renewed = await digestOf(deps, id, to);
    if (declaration.equals(renewed)) return 'there already';
    if (!declaration.equals(await digestOf(deps, id, from))) return 'other';
    const audit = new StartAudit({ ...deps, origin: { file } });
    await audit.change(id, (client) => writeDefinition({ deps, client, id }, to.definition));
    await syncSettings(deps, id);
    await deps.pool.query(`update workspace set declaration = $2 where id = $1`, [id, renewed]);
    return 'renewed';
  });
}

/** Runs `work` under an advisory lock, so that only one process at a time starts on this database. */
export async function oneAtATime<Result>(deps: WorkspaceDeps, work: () => Promise<Result>): Promise<Result> {
  const client = await deps.pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(`select pg_advisory_lock(hashtextextended('ringfence.reconcile', 0))`);
    try {
      return await work();
    } finally {
      await client.query(`select pg_advisory_unlock(hashtextextended('ringfence.reconcile', 0))`);
    }
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

async function warnOfAbsentFile(deps: WorkspaceDeps, report: Report): Promise<void> {
  const found = await deps.pool.query<Pick<Workspace, 'name' | 'environment'>>(
    `select name, environment from workspace where settings_owner = 'config' and placement = 'here' order by name, environment`,
  );
  if (found.rows.length === 0) return;
  report.warnings.push(
    `${found.rows.map(labelOf).join(', ')} belong to a configuration file, but this start has no file that declares workspaces. They keep working and stay read-only. To hand them to the management API, set "workspaces: []".`,
  );
}

/** Hands workspaces that were removed from the file to the management API. */
async function release({ pool, audit, report }: By, declared: readonly DeclaredWorkspace[]): Promise<void> {
  const gone = await pool.query<Pick<Workspace, 'id' | 'name' | 'environment'>>(
    `select id, name, environment from workspace
      where settings_owner = 'config' and placement = 'here' and not (name || '/' || environment) = any($1)`,
    [declared.map(labelOf)],
  );
  for (const workspace of gone.rows) {
    await audit.change(workspace.id, (client) =>
      client.query(
        `update workspace set settings_owner = 'api', keys_owner = 'api', policy_owner = 'api', declaration = null
          where id = $1`,
        [workspace.id],
      ),
    );
    report.released.push(labelOf(workspace));
  }
}

async function reconcileOne(by: By, declared: DeclaredWorkspace): Promise<void> {
  const { pool, audit, report } = by;
  const label = labelOf(declared);
  const found = await pool.query<{ id: string; declaration: Buffer | null }>(
    `select id, declaration from workspace where name = $1 and environment = $2`,
    [declared.name, declared.environment],
  );
  const present = found.rows[0];
  if (present !== undefined && present.declaration?.equals(await digestOf(by, present.id, declared)) === true) return;
  await refuseForeignKeys(homeOf(by), label, declared.licenseKeys ?? []);
  const id = present === undefined ? await make(by, declared) : present.id;
  if (present !== undefined) {
    noteKeys(label, await audit.change(id, (client) => apply({ deps: by, client, id }, declared)), report);
    report.applied.push(label);
  }
  await syncSettings(by, id);
  if (declared.policy === undefined) await warnWithoutPolicy(by, id);
  else await applyDeclaredPolicy(by, id, declared.policy);
  // Stored last: after a crash, the next start repeats the steps above, which are idempotent.
  const digest = await digestOf(by, id, declared);
  await pool.query(`update workspace set declaration = $2 where id = $1`, [id, digest]);
}

async function make(by: By, declared: DeclaredWorkspace): Promise<string> {
  const { name, environment, licenseKeys, definition } = declared;
  const begun = { action: 'createWorkspace', target: labelOf(declared) };
  const { workspace, keys } = await by.audit.make(
    begun,
    (made) => ({ ...begun, workspaceId: made.workspace.id, detail: { after: publicWorkspace(made.workspace) } }),
    () =>
      createWorkspace(by, {
        name,
        environment,
        owners: ownersOf(declared),
        ...definition,
        ...(licenseKeys === undefined ? {} : { licenseKeys }),
      }),
  );
  by.report.made.push({ label: labelOf(declared), environment, keys: licenseKeys === undefined ? keys : [] });
  return workspace.id;
}

function ownersOf(declared: DeclaredWorkspace): Workspace['owners'] {
  return {
    settings: 'config',
    keys: declared.licenseKeys === undefined ? 'api' : 'config',
    policy: declared.policy === undefined ? 'api' : 'config',
  };
}

/** Runs in a transaction that has locked the workspace. */
async function apply(
  at: { readonly deps: WorkspaceDeps; readonly client: ClientBase; readonly id: string },
  declared: DeclaredWorkspace,
): Promise<KeySync | undefined> {
  const { deps, client, id } = at;
  const owners = ownersOf(declared);
  await client.query(`update workspace set settings_owner = $2, keys_owner = $3, policy_owner = $4 where id = $1`, [
    id,
    owners.settings,
    owners.keys,
    owners.policy,
  ]);
  await writeDefinition(at, declared.definition);
  if (declared.licenseKeys === undefined) return undefined;
  const { environment, licenseKeys } = declared;
  const { master, cell } = deps;
  return syncLicenseKeys(client, { workspaceId: id, environment, master, cell, declared: licenseKeys });
}

function noteKeys(label: string, sync: KeySync | undefined, report: Report): void {
  for (const hint of sync?.revoked ?? []) {
    report.warnings.push(`${label}: key ${hint} is no longer in the file and was revoked`);
  }
  for (const hint of sync?.stillRevoked ?? []) {
    report.warnings.push(
      `${label}: the file contains key ${hint}, which was revoked and stays revoked; replace it with another key`,
    );
  }
}

async function applyDeclaredPolicy(
  by: By,
  id: string,
  { folder, files }: NonNullable<DeclaredWorkspace['policy']>,
): Promise<void> {
  const begun = { action: 'applyPolicy', workspaceId: id };
  const { policyVersion: before } = await readWorkspace(by, id);
  await by.audit.make(
    begun,
    ({ changed, version }) =>
      changed ? { ...begun, detail: { before: before ?? null, after: version, folder } } : undefined,
    () => applyPolicy(by, id, { files, author: 'configuration file', comment: `from ${folder}`, actor: 'config' }),
  );
}

async function warnWithoutPolicy({ pool, report }: By, id: string): Promise<void> {
  const found = await pool.query<{ name: string; environment: Environment }>(
    `select name, environment from workspace where id = $1 and policy_version is null`,
    [id],
  );
  const row = found.rows[0];
  if (row === undefined) return;
  const label = labelOf(row);
  report.warnings.push(
    `${label} has no policy, so no rule fires. Declare one, or run: ringfence policy apply DIR --workspace ${label}`,
  );
}

/**
 * A keyed digest by which a declaration is recognised without storing it. A plain hash would allow guessing the license
 * keys in it. The key is the workspace's own, so that a master-key rotation does not change the digest.
 */
async function digestOf(deps: WorkspaceDeps, id: string, declared: DeclaredWorkspace): Promise<Buffer> {
  const { secrets } = await readWorkspace(deps, id);
  // The database says only where it is created: it may move.
  const { webhookFiles: _files, database: _database, ...declaration } = declared;
  return blindIndex(secrets.index, JSON.stringify(declaration), 'declaration');
}

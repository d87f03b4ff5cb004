import { join } from 'node:path';
import { applyPolicy } from '../policies/policy-store.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import { readSendingKey } from '../tenancy/workspaces/license-keys.ts';
import { publicWorkspace } from '../tenancy/workspaces/public-settings.ts';
import { readPlaces } from '../tenancy/cells/workspace-places.ts';
import { createWorkspace } from '../tenancy/workspaces/workspace-store.ts';
import type { Environment } from '../tenancy/workspaces/workspace.ts';
import type { Configuration } from './configuration.ts';
import { readPolicyFolder } from './policy-folder.ts';
import { labelOf, oneAtATime } from './reconcile.ts';
import { StartAudit } from './start-audit.ts';

interface FirstStartDeps extends WorkspaceDeps {
  readonly now: () => number;
}

/** A workspace created by a first start. */
export interface FirstWorkspace {
  readonly name: string;
  readonly environment: Environment;
  /** Shown once. */
  readonly licenseKey: string;
}

const firstName = 'default';
const firstChannels = [
  { id: 1, name: 'Mobile app' },
  { id: 2, name: 'Web' },
];

/** The policy of a generated workspace. */
export const starterPolicyFolder = join(import.meta.dirname, '..', '..', 'policies', 'starter');

/**
 * Creates a development and a production workspace, with generated keys and the starter policy, in an empty
 * installation. They only observe (decide, but send nothing) until they are set to live. An interrupted first start is
 * completed by the next one. The changes are recorded in the audit log.
 *
 * @returns the created workspaces; empty if other workspaces exist or the file declares workspaces
 */
export function firstStart(configuration: Configuration, deps: FirstStartDeps): Promise<readonly FirstWorkspace[]> {
  if (configuration.workspaces !== undefined || deps.cell !== undefined) return Promise.resolve([]);
  return oneAtATime(deps, async () => {
    const begun = await readBegun(deps);
    if (begun === undefined) return [];
    const audit = new StartAudit({ ...deps, origin: 'first start' });
    const by = { ...deps, audit };
    const made: FirstWorkspace[] = [];
    for (const environment of ['development', 'production'] as const) {
      const there = begun.find((row) => row.environment === environment);
      const id = there?.id ?? (await make(by, environment));
      if (typeof there?.logged_policy !== 'number') await applyStarter(by, id);
      made.push({ name: firstName, environment, licenseKey: (await readSendingKey(deps.pool, deps.master, id))! });
    }
    return made;
  });
}

interface By extends WorkspaceDeps {
  readonly audit: StartAudit;
}

async function make(by: By, environment: Environment): Promise<string> {
  const wanted = { name: firstName, environment, channels: firstChannels };
  const begun = { action: 'createWorkspace', target: labelOf(wanted) };
  const { workspace } = await by.audit.make(
    begun,
    (made) => ({ ...begun, workspaceId: made.workspace.id, detail: { after: publicWorkspace(made.workspace) } }),
    () => createWorkspace(by, wanted),
  );
  return workspace.id;
}

async function applyStarter(by: By, workspaceId: string): Promise<void> {
  const comment = 'starter policy';
  const files = readPolicyFolder(starterPolicyFolder);
  const begun = { action: 'applyPolicy', workspaceId };
  await by.audit.make(
    begun,
    ({ version }) => ({ ...begun, detail: { before: null, after: version, comment } }),
    () => applyPolicy(by, workspaceId, { files, author: 'ringfence', comment, actor: 'api' }),
  );
}

interface Begun {
  readonly id: string;
  readonly environment: Environment;
  readonly logged_policy: number | null;
  /** Created by a first start and no key was ever used, so the keys have not been shown yet. */
  readonly untouched: boolean;
}

/** What an interrupted first start left, usually nothing; `undefined` if a first start is not due. */
async function readBegun({ pool }: WorkspaceDeps): Promise<readonly Begun[] | undefined> {
  const { rows } = await pool.query<Begun>(
    `select id, environment, logged_policy,
            name = $1 and 'api' = all (array[settings_owner, keys_owner, policy_owner]) and not exists (
              select 1 from license_key k join license_key_use u on u.key_id = k.id where k.workspace_id = w.id
            ) as untouched
       from workspace w`,
    [firstName],
  );
  // The last step of a first start appends the production workspace's policy to the log.
  const isElsewhere = (await readPlaces(pool)).length > 0;
  const isCutOff =
    !isElsewhere &&
    rows.every((row) => row.untouched && (row.environment === 'development' || row.logged_policy === null));
  return isCutOff ? rows : undefined;
}

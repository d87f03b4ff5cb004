import { join } from 'node:path';
import { applyPolicy } from '../policies/policy-store.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import { readSendingKey } from '../tenancy/workspaces/license-keys.ts';
import { publicWorkspace } from '../tenancy/workspaces/public-settings.ts';
import { createWorkspace } from '../tenancy/workspaces/workspace-store.ts';
import type { Environment } from '../tenancy/workspaces/workspace.ts';
import type { Configuration } from './configuration.ts';
import { readPolicyFolder } from './policy-folder.ts';
import { labelOf, oneAtATime } from './reconcile.ts';
import { StartAudit } from './start-audit.ts';

interface FirstStartDeps extends WorkspaceDeps {
  readonly now: () => number;
}

/** A workspace that was made because there was none. */
export interface FirstWorkspace {
  readonly name: string;
  readonly environment: Environment;
  /** To be shown once. */
  readonly licenseKey: string;
}

const firstName = 'default';
const firstChannels = [
  { id: 1, name: 'Mobile app' },
  { id: 2, name: 'Web' },
];

/** The rules that a generated workspace begins with. */
export const starterPolicyFolder = join(import.meta.dirname, '..', '..', 'policies', 'starter');

/**
 * Gives an empty installation a development and a production workspace with generated keys and the starter policy.
 * They observe: they decide and send nothing, until somebody switches them to live. A first start that was cut off is
 * finished by the next one. What was made is in the audit log.
 *
 * @returns those that were made; none when there are other workspaces, or the file speaks of them
 */
export function firstStart(configuration: Configuration, deps: FirstStartDeps): Promise<readonly FirstWorkspace[]> {
  if (configuration.workspaces !== undefined) return Promise.resolve([]);
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
  const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
  const wanted = { name: firstName, environment, owners, channels: firstChannels };
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
  /** Made as above, and no key was ever used: nobody was shown one. */
  readonly untouched: boolean;
}

/** What a first start that was cut off has left, mostly nothing; `undefined` when there was no such start. */
async function readBegun({ pool }: WorkspaceDeps): Promise<readonly Begun[] | undefined> {
  const { rows } = await pool.query<Begun>(
    `select id, environment, logged_policy,
            name = $1 and 'api' = all (array[settings_owner, keys_owner, policy_owner]) and not exists (
              select 1 from license_key k join license_key_use u on u.key_id = k.id where k.workspace_id = w.id
            ) as untouched
       from workspace w`,
    [firstName],
  );
  // Its last step is that the engine of the production workspace is told of the policy.
  const isCutOff = rows.every(
    (row) => row.untouched && (row.environment === 'development' || row.logged_policy === null),
  );
  return isCutOff ? rows : undefined;
}

import { join } from 'node:path';
import { applyPolicy } from '../workspaces/policy-store.ts';
import type { WorkspaceDeps } from '../workspaces/workspace-deps.ts';
import { createWorkspace } from '../workspaces/workspace-store.ts';
import type { Environment } from '../workspaces/workspace.ts';
import type { Configuration } from './configuration.ts';
import { readPolicyFolder } from './policy-folder.ts';
import { oneAtATime } from './reconcile.ts';

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
 * They observe: they decide and send nothing, until somebody switches them to live.
 *
 * @returns those that were made; none when there are workspaces, or the file speaks of them
 */
export function firstStart(configuration: Configuration, deps: WorkspaceDeps): Promise<readonly FirstWorkspace[]> {
  if (configuration.workspaces !== undefined) return Promise.resolve([]);
  return oneAtATime(deps, async () => {
    const found = await deps.pool.query(`select 1 from workspace limit 1`);
    if (found.rowCount !== 0) return [];
    const files = readPolicyFolder(starterPolicyFolder);
    const made: FirstWorkspace[] = [];
    for (const environment of ['development', 'production'] as const) {
      const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
      const wanted = { name: firstName, environment, owners, channels: firstChannels };
      const { workspace, keys } = await createWorkspace(deps, wanted);
      const policy = { files, author: 'ringfence', comment: 'starter policy', actor: 'api' } as const;
      await applyPolicy(deps, workspace.id, policy);
      made.push({ name: firstName, environment, licenseKey: keys[0]!.text });
    }
    return made;
  });
}

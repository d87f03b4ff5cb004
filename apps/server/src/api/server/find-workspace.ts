import { Problem } from '@ringfence/contract';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { ManagementDeps } from './management-deps.ts';

/**
 * Finds the workspace that a path names: by id, or as `name:environment` (or `name/environment`, as on the command
 * line). Also finds a workspace that another process has just created.
 *
 * @throws Problem `thing.unknown`
 */
export async function findWorkspace(
  { registry, cells }: Pick<ManagementDeps, 'registry' | 'cells'>,
  { workspace: named }: { readonly workspace: string },
): Promise<Workspace> {
  const known = lookUp(registry, named);
  if (known !== undefined) return known;
  await registry.refresh();
  const found = lookUp(registry, named);
  if (found !== undefined) return found;
  await cells?.explainAbsent(named);
  throw new Problem('thing.unknown', `There is no workspace "${named}"; /management/v1/workspaces lists them.`);
}

function lookUp(registry: ManagementDeps['registry'], named: string): Workspace | undefined {
  return (
    registry.byId(named) ??
    registry.all().find(({ name, environment }) => [`${name}:${environment}`, `${name}/${environment}`].includes(named))
  );
}

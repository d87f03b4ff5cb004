import { Problem } from '@ringfence/contract';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { ManagementDeps } from './management-deps.ts';

/**
 * The workspace that a path names: by id, or as `name:environment` (or `name/environment`, as the command line says it).
 * One that another process made a moment ago is found as well.
 *
 * @throws Problem `thing.unknown`
 */
export async function findWorkspace(
  { registry }: Pick<ManagementDeps, 'registry'>,
  { workspace: named }: { readonly workspace: string },
): Promise<Workspace> {
  const known = lookUp(registry, named);
  if (known !== undefined) return known;
  await registry.refresh();
  const found = lookUp(registry, named);
  if (found !== undefined) return found;
  throw new Problem('thing.unknown', `There is no workspace "${named}"; list them at /management/v1/workspaces.`);
}

function lookUp(registry: ManagementDeps['registry'], named: string): Workspace | undefined {
  return (
    registry.byId(named) ??
    registry.all().find(({ name, environment }) => [`${name}:${environment}`, `${name}/${environment}`].includes(named))
  );
}

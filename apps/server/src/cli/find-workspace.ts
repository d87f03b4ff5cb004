import { nearest } from '@ringfence/policy/nearest';
import { labelOf } from '../config/reconcile.ts';
import { homeDatabase } from '../platform/database/cell.ts';
import { readPlaces } from '../tenancy/cells/workspace-places.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import type { WorkspaceDeps } from '../tenancy/workspaces/workspace-deps.ts';
import { listWorkspaces } from '../tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

/** A workspace of any database. */
export interface LocatedWorkspace {
  readonly id: string;
  readonly name: string;
  readonly environment: Workspace['environment'];
  /** The name of the database in which it lies. */
  readonly database: string;
}

type Deps = Pick<WorkspaceDeps, 'pool' | 'master' | 'cell'>;

/** All workspaces of the installation, sorted by name, from its home database. */
export async function locateWorkspaces(home: Deps): Promise<readonly LocatedWorkspace[]> {
  const atHome = (await listWorkspaces(home)).map((one) => ({ ...one, database: homeDatabase }));
  const away = (await readPlaces(home.pool)).filter(({ database }) => database !== homeDatabase);
  return [...atHome, ...away].toSorted((a, b) => (labelOf(a) < labelOf(b) ? -1 : 1));
}

/**
 * Where the workspace lies that is named by `NAME`, `NAME/ENVIRONMENT` or an id; without a name, the only workspace.
 *
 * @throws OperatorError that lists the existing workspaces, if none or several match
 */
export async function locateWorkspace(home: Deps, meant: string | undefined): Promise<LocatedWorkspace> {
  return chosen(await locateWorkspaces(home), meant);
}

/** The same, of the workspaces of one database. */
export async function findWorkspace(deps: Deps, meant: string | undefined): Promise<Workspace> {
  return chosen(await listWorkspaces(deps), meant);
}

function chosen<Found extends Pick<Workspace, 'id' | 'name' | 'environment'>>(
  all: readonly Found[],
  meant: string | undefined,
): Found {
  const found = meant === undefined ? all : all.filter((one) => [one.id, one.name, labelOf(one)].includes(meant));
  if (found.length === 1) return found[0]!;
  const labels = all.map(labelOf);
  const there = labels.length === 0 ? 'There are no workspaces yet.' : `Existing workspaces: ${labels.join(', ')}.`;
  if (found.length > 1) {
    const which = meant === undefined ? 'There are several workspaces' : `Several workspaces are named "${meant}"`;
    throw new OperatorError(
      `${which}: ${found.map(labelOf).join(', ')}.`,
      'Choose one with --workspace NAME/ENVIRONMENT.',
    );
  }
  if (meant === undefined)
    throw new OperatorError('There is no workspace yet.', 'Create one with: ringfence workspace create');
  const near = nearest(meant, [...labels, ...all.map(({ name }) => name)]);
  const hint = near === undefined ? there : `Did you mean "${near}"?`;
  throw new OperatorError(`There is no workspace "${meant}".`, hint);
}

/** The workspace that is named, or all of them. @throws OperatorError as `findWorkspace` */
export async function findWorkspaces(deps: Deps, meant: string | undefined): Promise<readonly Workspace[]> {
  return meant === undefined ? listWorkspaces(deps) : [await findWorkspace(deps, meant)];
}

import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Session, WorkspaceRights } from './operations.generated.ts';
import { asking } from './use-api.ts';
import { askingSession } from './session.ts';

export type Right = WorkspaceRights['rights'][number];

/** Who is logged in. Only below the gate, where there is somebody. */
export function useSession(): Session {
  return useSuspenseQuery(askingSession).data;
}

/** The name of the open workspace, as paths of the API take it: `acme:production`. */
export function useWorkspaceName(): string {
  return useParams({ from: '/w/$workspace' }).workspace;
}

/** The open workspace with its settings; undefined until it is here. */
export function useWorkspace() {
  return useQuery(asking('readWorkspace', { params: { workspace: useWorkspaceName() } })).data;
}

/** What the person may do in the open workspace. */
export function useRights(): readonly Right[] {
  const { workspaces } = useSession();
  const name = useWorkspaceName();
  return workspaces.find((one) => nameOf(one) === name || one.id === name)?.rights ?? [];
}

export function useRight(right: Right): boolean {
  return useRights().includes(right);
}

export function nameOf({ name, environment }: Pick<WorkspaceRights, 'name' | 'environment'>): string {
  return `${name}:${environment}`;
}

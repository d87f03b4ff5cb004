import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Session, WorkspaceRights } from './operations.generated.ts';
import { asking } from './use-api.ts';
import { askingSession } from './session.ts';

export type Right = WorkspaceRights['rights'][number];

/** The session. Use only below the login gate. */
export function useSession(): Session {
  return useSuspenseQuery(askingSession).data;
}

/** The name of the open workspace as in API paths: `acme:production`. */
export function useWorkspaceName(): string {
  return useParams({ from: '/w/$workspace' }).workspace;
}

/** The open workspace with its settings; undefined while loading. */
export function useWorkspace() {
  return useQuery(asking('readWorkspace', { params: { workspace: useWorkspaceName() } })).data;
}

/** Whether the user has a right in the open workspace. */
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

import { type QueryKey, useQuery } from '@tanstack/react-query';
import type { Answer, Input } from '../../api/call.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';

/** The files of the active version. Versions are immutable, so each is requested once. */
export function useActivePolicy() {
  const workspace = useWorkspaceName();
  const version = useWorkspace()?.policyVersion;
  return useQuery({
    ...asking('readPolicy', { params: { workspace, version: version ?? 0 } }),
    enabled: version !== undefined,
    staleTime: Infinity,
    // Keep the previous version until the next is loaded, so that the page and its drafts stay mounted.
    placeholderData: (before: Answer<'readPolicy'> | undefined, asked: { readonly queryKey: QueryKey } | undefined) =>
      isOf(workspace, asked?.queryKey) ? before : undefined,
  });
}

function isOf(workspace: string, key: QueryKey | undefined): boolean {
  const input = key?.[1] as Input<'readPolicy'> | undefined;
  return input?.params.workspace === workspace;
}

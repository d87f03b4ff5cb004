import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/use-api.ts';
import { useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';

/** The files of the version that decides. A version never changes: it is asked for once. */
export function useActivePolicy() {
  const workspace = useWorkspaceName();
  const version = useWorkspace()?.policyVersion;
  return useQuery({
    ...asking('readPolicy', { params: { workspace, version: version ?? 0 } }),
    enabled: version !== undefined,
    staleTime: Infinity,
  });
}

import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Event, FiredRule } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';

const none: ReadonlySet<string> = new Set();

/** The members and facts that rules read. The policy that defines them is loaded on demand. */
export function useMarked(
  { kind, policyVersion }: Pick<Event, 'kind' | 'policyVersion'>,
  rules: readonly FiredRule[],
): ReadonlySet<string> {
  const workspace = useWorkspaceName();
  const paths = [...new Set(rules.flatMap(({ facts }) => Object.keys(facts)))];
  const { data } = useQuery({
    queryKey: ['marked', workspace, kind, policyVersion, paths],
    enabled: policyVersion !== undefined && paths.length > 0,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const [{ loadPolicy }, { factMembers }, { files }] = await Promise.all([
        import('@ringfence/policy'),
        import('../../policy/fact-members.ts'),
        call('readPolicy', { params: { workspace, version: policyVersion! } }, { signal }),
      ]);
      const loaded = loadPolicy(files);
      const policy = loaded.ok ? loaded.policy : undefined;
      return new Set(paths.flatMap((path) => [path, ...factMembers(kind, path, policy)]));
    },
  });
  return data ?? none;
}

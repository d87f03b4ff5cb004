import { useQuery } from '@tanstack/react-query';
import { ruleNames } from './rule-names.ts';
import { useActivePolicy } from './use-active-policy.ts';

/** Names of the rules of the policy that decides, by their reasons; undefined until they are here. */
export function useRuleNames(): ReadonlyMap<number, string> | undefined {
  const files = useActivePolicy().data?.files;
  return useQuery({
    queryKey: ['ruleNames', files],
    enabled: files !== undefined,
    queryFn: () => ruleNames(files ?? []),
    staleTime: Infinity,
  }).data;
}

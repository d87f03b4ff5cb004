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

/** A rule as people know it: its reason and, once it is here, its name. */
export function ruleLabel(reason: number, names: ReadonlyMap<number, string> | undefined): string {
  return `${reason} ${names?.get(reason) ?? ''}`.trim();
}

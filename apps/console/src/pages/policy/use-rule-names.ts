import { useQuery } from '@tanstack/react-query';
import { ruleNames } from './rule-names.ts';
import { useActivePolicy } from './use-active-policy.ts';

/** Names of the rules of the active policy by reason; undefined while loading. */
export function useRuleNames(): ReadonlyMap<number, string> | undefined {
  const files = useActivePolicy().data?.files;
  return useQuery({
    queryKey: ['ruleNames', files],
    enabled: files !== undefined,
    queryFn: () => ruleNames(files ?? []),
    staleTime: Infinity,
  }).data;
}

/** The label of a rule: its reason and, once loaded, its name. */
export function ruleLabel(reason: number, names: ReadonlyMap<number, string> | undefined): string {
  return `${reason} ${names?.get(reason) ?? ''}`.trim();
}

import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { starterRules } from '../../language/starter-rules.ts';
import { policyTexts } from '../../policy/policy-texts.ts';
import { useActivePolicy } from './use-active-policy.ts';
import type { PolicyFile } from '../../api/operations.generated.ts';

/** Names of the rules of the active policy by reason, in the console's language; undefined while loading. */
export function useRuleNames(): ReadonlyMap<number, string> | undefined {
  const files = useActivePolicy().data?.files;
  const nameOf = useRuleName();
  const { data } = useQuery({
    queryKey: ['ruleNames', files],
    enabled: files !== undefined,
    queryFn: () => ruleNames(files ?? []),
    staleTime: Infinity,
  });
  return useMemo(
    () => data && new Map(Array.from(data, ([reason, name]) => [reason, nameOf(name)] as const)),
    [data, nameOf],
  );
}

/** Translates the name of a rule, if it is one of the starter policy. */
export function useRuleName(): (name: string) => string {
  const isSpanish = useTranslation().i18n.language === 'es';
  return useCallback((name) => (isSpanish ? starterRules[name] : undefined) ?? name, [isSpanish]);
}

/** The label of a rule: its reason and, once loaded, its name. */
export function ruleLabel(reason: number, names: ReadonlyMap<number, string> | undefined): string {
  return `${reason} ${names?.get(reason) ?? ''}`.trim();
}

/** Names of rules by number. The YAML parser is loaded on demand. */
export async function ruleNames(files: readonly PolicyFile[]): Promise<ReadonlyMap<number, string>> {
  const { parse } = await import('yaml');
  const rules = policyTexts(files).flatMap(({ text }) => {
    const document: unknown = parse(text, { logLevel: 'silent' });
    return isMapping(document) && Array.isArray(document['rules']) ? (document['rules'] as unknown[]) : [];
  });
  return new Map(rules.filter(isMapping).map((rule) => [Number(rule['reason']), String(rule['name'])] as const));
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { actionNames } from '../policy/action-names.ts';
import { useActivePolicy } from '../policy/use-active-policy.ts';

/** Predefined actions; custom ones come from the policy. */
export const interfaceActions = [1, 2, 3, 4, 5];
const known = ['1', '2', '3', '4', '5'] as const;
const none: ReadonlyMap<number, string> = new Map();

/** Custom actions by the names in the active policy. */
export function useOwnActions(): ReadonlyMap<number, string> {
  const files = useActivePolicy().data?.files;
  const own = useQuery({
    queryKey: ['actionNames', files],
    enabled: files !== undefined,
    queryFn: () => actionNames(files ?? []),
    staleTime: Infinity,
  }).data;
  return own ?? none;
}

/** The label of an action: 1 to 5 are predefined, the active policy names the others. */
export function useActionName(): (action: number) => string {
  const { t } = useTranslation();
  const own = useOwnActions();
  return useCallback(
    (action) => {
      const name = known.find((number) => number === String(action));
      return name === undefined ? (own.get(action) ?? t('action.own', { action })) : t(`action.name.${name}`);
    },
    [t, own],
  );
}

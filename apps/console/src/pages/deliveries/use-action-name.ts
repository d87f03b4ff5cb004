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

/** Names of the predefined actions. */
export function useBuiltInActions(): (action: number) => string | undefined {
  const { t } = useTranslation();
  return useCallback(
    (action) => {
      const number = known.find((one) => one === String(action));
      return number === undefined ? undefined : t(`action.name.${number}`);
    },
    [t],
  );
}

/** The label of an action: 1 to 5 are predefined, the active policy names the others. */
export function useActionName(): (action: number) => string {
  const { t } = useTranslation();
  const own = useOwnActions();
  const builtIn = useBuiltInActions();
  return useCallback((action) => builtIn(action) ?? own.get(action) ?? t('action.own', { action }), [t, own, builtIn]);
}

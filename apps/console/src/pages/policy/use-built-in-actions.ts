import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

const known = ['1', '2', '3', '4', '5'] as const;

/** Names of the actions that every policy has, in the console's language. */
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

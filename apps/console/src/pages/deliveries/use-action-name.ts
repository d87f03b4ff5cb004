import { useTranslation } from 'react-i18next';

const known = ['1', '2', '3', '4', '5'] as const;

/** What the bank is asked to do, in words: 1 to 5 are the interface's, the others the policy's own. */
export function useActionName(): (action: number) => string {
  const { t } = useTranslation();
  return (action) => {
    const name = known.find((number) => number === String(action));
    return name === undefined ? t('action.own', { action }) : t(`action.name.${name}`);
  };
}

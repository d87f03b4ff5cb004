import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { auditActions } from '../../language/audit-actions.ts';

/** Every action with a label, by the name in its entry: `openSession`, `logIn.refused`. */
export const actionsWithWords: readonly string[] = namesIn(auditActions.en);

function namesIn(words: object): readonly string[] {
  return Object.entries(words).flatMap(([name, inside]: [string, unknown]) =>
    typeof inside === 'object' && inside !== null ? namesIn(inside).map((below) => `${name}.${below}`) : [name],
  );
}

/** The label of an action. An action of another release may have none. */
export function useActionWords(): (action: string) => string {
  const { t } = useTranslation();
  return useCallback(
    (action) => (actionsWithWords.includes(action) ? t(`audit.did.${action}` as 'audit.did.openSession') : action),
    [t],
  );
}

import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { nameOf, useSession } from '../../api/use-workspace.ts';

/** The name of the workspace of an entry; its id if it was deleted or the user may not see it. */
export function useWorkspaceWords(): (id: string | undefined) => string {
  const { t } = useTranslation();
  const { workspaces } = useSession();
  return useCallback(
    (id) => {
      if (id === undefined) return t('audit.installation');
      const found = workspaces.find((one) => one.id === id);
      return found === undefined ? id : nameOf(found);
    },
    [t, workspaces],
  );
}

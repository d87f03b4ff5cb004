import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { nameOf, useSession } from '../../api/use-workspace.ts';

/** How the workspace of an entry is called: by its id when whoever looks does not see it, or it is gone. */
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

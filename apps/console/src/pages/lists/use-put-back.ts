import { useTranslation } from 'react-i18next';
import type { ListItem } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useNotices } from '../../parts/notices.tsx';

/** Restores an ended item with its expiry, or without one if that has passed. */
export function usePutBack(list: string): (item: ListItem) => void {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const change = useDoing('changeList', ['listListItems', 'listLists'], {
    done: () => notices.say(t('lists.undone')),
    failed: ({ message }) => notices.warn(message),
  });
  return ({ ref, comment, expiresAt }) => {
    const end = expiresAt !== undefined && Date.parse(expiresAt) > Date.now() ? { expiresAt } : {};
    change.mutate({
      params: { workspace, list },
      body: { put: [{ ref, ...end }], comment: comment === '' ? t('lists.undoComment') : comment },
    });
  };
}

import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ListItem } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { ChangeComment } from './change-comment.tsx';
import { usePutBack } from './use-put-back.ts';

interface RemoveItemProps {
  readonly list: string;
  readonly item: ListItem;
  readonly onClose: () => void;
}

/** Removes an item. For a while the removal can be undone, which restores its expiry. */
export function RemoveItem({ list, item, onClose }: RemoveItemProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const [comment, setComment] = useState('');
  const change = useDoing('changeList', ['listListItems', 'listLists'], {
    done: () => notices.say(t('lists.removed'), () => putBack(item)),
  });
  const putBack = usePutBack(list);
  const submit = (): void =>
    change.mutate({ params: { workspace, list }, body: { removeRefs: [item.ref], comment } }, { onSuccess: onClose });
  return (
    <Dialog title={t('lists.removeTitle', { item: item.parts.join(', ') })} onClose={onClose}>
      <Form onSubmit={submit}>
        <ChangeComment value={comment} onChange={setComment} autoFocus />
        <DialogEnd problem={change.error} onCancel={onClose}>
          <Button type="submit" look="danger" busy={change.isPending}>
            {t('lists.remove')}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}

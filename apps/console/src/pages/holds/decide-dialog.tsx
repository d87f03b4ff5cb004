import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { CommentField } from './comment-field.tsx';
import { type HoldDecision, useDecideHolds } from './use-decide-holds.ts';

interface DecideDialogProps {
  /** Their ids. */
  readonly holds: readonly string[];
  readonly decision: HoldDecision;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Releases or rejects one or more payments, with a comment. */
export function DecideDialog({ holds, decision, onDone, onClose }: DecideDialogProps): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName() };
  const [comment, setComment] = useState('');
  const decide = useDecideHolds();
  const submit = (): void =>
    decide.mutate(
      { params, body: { holds, decision, ...(comment === '' ? {} : { comment }) } },
      {
        onSuccess: () => {
          onDone();
          onClose();
        },
      },
    );
  return (
    <Dialog title={`${t(`holds.${decision}`)} · ${t('holds.members', { count: holds.length })}`} onClose={onClose}>
      <Form onSubmit={submit}>
        <p className="text-sm text-soft">{t(`holds.meaning.${decision}`)}</p>
        <CommentField value={comment} onChange={setComment} />
        <DialogEnd problem={decide.error} onCancel={onClose}>
          <Button type="submit" look={decision === 'reject' ? 'danger' : 'main'} busy={decide.isPending}>
            {t(`holds.${decision}`)}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}

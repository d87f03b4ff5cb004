import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { CommentField } from '../holds/comment-field.tsx';
import { useDecideHolds } from '../holds/use-decide-holds.ts';
import { useCloseAlert } from './use-close-alert.ts';

type Outcome = 'fraud' | 'legitimate';

interface CloseWithHoldsProps {
  readonly alert: string;
  readonly outcome: Outcome;
  readonly onClose: () => void;
}

const usual = { fraud: 'reject', legitimate: 'release' } as const;

/** Decides an alert, and in the same step about the payments of its events that are still held. */
export function CloseWithHolds({ alert, outcome, onClose }: CloseWithHoldsProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const decide = useDecideHolds();
  const [decision, setDecision] = useState<'release' | 'reject' | 'nothing'>(usual[outcome]);
  const [comment, setComment] = useState('');
  const said = comment === '' ? {} : { comment };
  const close = useCloseAlert((holds) => {
    if (decision !== 'nothing' && holds.length > 0)
      decide.mutate({ params: { workspace }, body: { holds, decision, ...said } });
  });
  const submit = (): void =>
    close.mutate({ params: { workspace, alert }, body: { outcome, ...said } }, { onSuccess: onClose });
  return (
    <Dialog title={t(`alerts.outcome.${outcome}`)} onClose={onClose}>
      <Form onSubmit={submit}>
        <Choice
          label={t('holds.toDecide')}
          value={decision}
          onChange={(event) => setDecision(event.target.value as typeof decision)}
          options={[
            { value: 'release', label: t('holds.release') },
            { value: 'reject', label: t('holds.reject') },
            { value: 'nothing', label: t('holds.decideNothing') },
          ]}
        />
        {decision === 'nothing' ? null : <p className="text-sm text-soft">{t(`holds.meaning.${decision}`)}</p>}
        <CommentField value={comment} onChange={setComment} />
        <DialogEnd problem={close.error} onCancel={onClose}>
          <Button type="submit" look={outcome === 'fraud' ? 'danger' : 'main'} busy={close.isPending}>
            {t(`alerts.outcome.${outcome}`)}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}

import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { CommentField } from '../holds/comment-field.tsx';
import { useDecideHolds } from '../holds/use-decide-holds.ts';
import { DecidedBy } from './decided-by.tsx';
import { type FraudDraft, FraudFields, fraudBody, fraudDraft } from './fraud-fields.tsx';
import { useCloseAlert, useCorrectAlert } from './use-close-alert.ts';
import type { Verdict } from './verdict.ts';

type HoldChoice = 'release' | 'reject' | 'nothing';

/** What is usually done with held payments. An inconclusive alert decides nothing. */
const usual: Readonly<Record<Verdict, HoldChoice>> = {
  fraud: 'reject',
  legitimate: 'release',
  inconclusive: 'nothing',
};

interface DecideAlertProps {
  readonly alert: AlertDetail;
  readonly outcome: Verdict;
  /** Payments of its events are held, and the user may decide about them. */
  readonly isHeld: boolean;
  readonly onClose: () => void;
}

/**
 * Decides an alert, or changes the decision: with the type and the cost of a fraud, and in the same step about the
 * payments of its events that are still held.
 */
export function DecideAlert({ alert, outcome, isHeld, onClose }: DecideAlertProps): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName(), alert: alert.id };
  const decide = useDecideHolds();
  const [decision, setDecision] = useState<HoldChoice>(isHeld ? usual[outcome] : 'nothing');
  const [comment, setComment] = useState('');
  const [fraud, setFraud] = useState<FraudDraft>(() => fraudDraft(alert));
  const said = comment === '' ? {} : { comment };
  // Whether it was open when the dialog was opened: another user may close it meanwhile.
  const [isCorrection] = useState(alert.state === 'closed');
  const close = useCloseAlert((holds) => {
    if (decision !== 'nothing' && holds.length > 0)
      decide.mutate({ params: { workspace: params.workspace }, body: { holds, decision, ...said } });
  });
  const correct = useCorrectAlert();
  const doing = isCorrection ? correct : close;
  const submit = (): void => {
    const body = { outcome, ...said, ...(outcome === 'fraud' ? fraudBody(fraud) : {}) };
    doing.mutate({ params, body }, { onSuccess: onClose });
  };
  const isTooLate = !isCorrection && alert.state === 'closed' && !close.isPending && !close.isSuccess;
  return (
    <Dialog title={t(`alerts.outcome.${outcome}`)} onClose={onClose}>
      <Form onSubmit={submit}>
        {outcome === 'fraud' ? <FraudFields draft={fraud} onChange={setFraud} /> : null}
        {isHeld ? <HoldFields decision={decision} onChange={setDecision} /> : null}
        <CommentField value={comment} onChange={setComment} />
        {isTooLate ? <DecidedBy alert={alert} /> : null}
        <DialogEnd problem={doing.error} onCancel={onClose}>
          <Button
            type="submit"
            look={outcome === 'fraud' ? 'danger' : 'main'}
            busy={doing.isPending}
            disabled={isTooLate}
          >
            {t(`alerts.outcome.${outcome}`)}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}

interface HoldFieldsProps {
  readonly decision: HoldChoice;
  readonly onChange: (decision: HoldChoice) => void;
}

function HoldFields({ decision, onChange }: HoldFieldsProps): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <Choice
        label={t('holds.toDecide')}
        value={decision}
        onChange={(event) => onChange(event.target.value as HoldChoice)}
        options={[
          { value: 'release', label: t('holds.release') },
          { value: 'reject', label: t('holds.reject') },
          { value: 'nothing', label: t('holds.decideNothing') },
        ]}
      />
      {decision === 'nothing' ? null : <p className="text-sm text-soft">{t(`holds.meaning.${decision}`)}</p>}
    </>
  );
}

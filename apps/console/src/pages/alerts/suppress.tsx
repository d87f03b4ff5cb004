import { type ReactElement, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { DecidedBy } from './decided-by.tsx';
import { ruleLabel, useRuleNames } from '../policy/use-rule-names.ts';

interface SuppressProps {
  readonly alert: AlertDetail;
  readonly onClose: () => void;
}

/** Suppresses the alerts of a client for one rule or all. The rules still act. */
export function Suppress({ alert, onClose }: SuppressProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const names = useRuleNames();
  const [suppression, setSuppression] = useState(noSuppression);
  const [reason, setReason] = useState('');
  const suppress = useDoing('suppressAlert', ['listAlerts', 'readAlert', 'readAlertNumbers'], {
    done: () => notices.say(t('alerts.suppressed')),
  });
  const submit = (): void =>
    suppress.mutate(
      {
        params: { workspace, alert: alert.id },
        body: { ...suppression, ...(reason === '' ? {} : { reason: Number(reason) }) },
      },
      { onSuccess: onClose },
    );
  const isTooLate = alert.state === 'closed' && !suppress.isPending && !suppress.isSuccess;
  return (
    <Dialog title={t('alerts.suppress')} onClose={onClose}>
      <Form onSubmit={submit}>
        <SuppressFields value={suppression} onChange={setSuppression}>
          <Choice
            label={t('events.rule')}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            options={[
              { value: '', label: t('alerts.allRules') },
              ...alert.reasons.map((one) => ({ value: String(one), label: ruleLabel(one, names) })),
            ]}
          />
        </SuppressFields>
        {isTooLate ? <DecidedBy alert={alert} /> : null}
        <DialogEnd problem={suppress.error} onCancel={onClose}>
          <Button type="submit" look="main" busy={suppress.isPending} disabled={isTooLate}>
            {t('alerts.suppress')}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}

interface Suppression {
  readonly hours: number;
  readonly why: string;
}

export const noSuppression: Suppression = { hours: 24, why: '' };

interface SuppressFieldsProps {
  readonly value: Suppression;
  readonly onChange: (value: Suppression) => void;
  readonly children?: ReactNode;
}

/** For how long, and why. */
export function SuppressFields({ value, onChange, children }: SuppressFieldsProps): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <p className="text-sm text-soft">{t('alerts.suppressMeaning')}</p>
      <Field
        label={t('alerts.hours')}
        type="number"
        min={1}
        max={8760}
        required
        value={value.hours}
        onChange={({ target }) => onChange({ ...value, hours: target.valueAsNumber })}
      />
      {children}
      <Field
        label={t('alerts.why')}
        hint={t('alerts.whyHint')}
        required
        maxLength={500}
        value={value.why}
        onChange={({ target }) => onChange({ ...value, why: target.value })}
      />
    </>
  );
}

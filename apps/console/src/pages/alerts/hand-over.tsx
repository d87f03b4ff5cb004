import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmailField } from '../../parts/email-field.tsx';
import { Form } from '../../parts/form.tsx';

/** Gives an alert to somebody else who may work here. */
export function HandOver({ alert, onClose }: { readonly alert: string; readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const [to, setTo] = useState('');
  const handOver = useDoing('handOverAlert', ['listAlerts', 'readAlert']);
  return (
    <Dialog title={t('alerts.handOver')} onClose={onClose}>
      <Form onSubmit={() => handOver.mutate({ params: { workspace, alert }, body: { to } }, { onSuccess: onClose })}>
        <EmailField label={t('alerts.to')} value={to} onChange={setTo} />
        <DialogEnd problem={handOver.error} onCancel={onClose}>
          <Button type="submit" look="main" busy={handOver.isPending}>
            {t('alerts.handOver')}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}

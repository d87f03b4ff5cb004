import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { DecidedBy } from './decided-by.tsx';

interface HandOverProps {
  readonly alert: AlertDetail;
  readonly onClose: () => void;
}

/** Assigns an alert to another user who may work here. */
export function HandOver({ alert, onClose }: HandOverProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const me = useSession().account.email;
  const [chosen, setChosen] = useState('');
  const analysts = useQuery(asking('listAnalysts', { params: { workspace } }));
  const handOver = useDoing('handOverAlert', ['listAlerts', 'readAlert'], {
    done: (_, { body: { to } }) => notices.say(t('alerts.handedOver', { to })),
  });
  const isTooLate = alert.state === 'closed';
  return (
    <Dialog title={t('alerts.handOver')} onClose={onClose}>
      <Asked of={analysts} rows={2}>
        {({ items }) => {
          const others = items.filter(({ email }) => email !== me);
          const to = others.some(({ email }) => email === chosen) ? chosen : '';
          return (
            <Form
              onSubmit={() =>
                handOver.mutate({ params: { workspace, alert: alert.id }, body: { to } }, { onSuccess: onClose })
              }
            >
              {others.length === 0 ? (
                <p className="text-sm text-soft">{t('alerts.nobodyElse')}</p>
              ) : (
                <Choice
                  label={t('alerts.to')}
                  required
                  autoFocus
                  value={to}
                  onChange={({ target }) => setChosen(target.value)}
                  options={[
                    { value: '', label: t('alerts.choosePerson') },
                    ...others.map(({ email, name }) => ({ value: email, label: `${name} · ${email}` })),
                  ]}
                />
              )}
              {isTooLate ? <DecidedBy alert={alert} /> : null}
              <DialogEnd problem={handOver.error} onCancel={onClose}>
                <Button type="submit" look="main" busy={handOver.isPending} disabled={to === '' || isTooLate}>
                  {t('alerts.handOver')}
                </Button>
              </DialogEnd>
            </Form>
          );
        }}
      </Asked>
    </Dialog>
  );
}

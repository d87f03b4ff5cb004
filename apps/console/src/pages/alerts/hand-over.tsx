import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail, Analyst } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field } from '../../parts/field.tsx';
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
  const handOver = useDoing('handOverAlert', ['listAlerts', 'readAlert', 'readAlertNumbers'], {
    done: (_, { body: { to } }) => notices.say(t('alerts.handedOver', { to })),
  });
  const isTooLate = alert.state === 'closed';
  return (
    <Dialog title={t('alerts.handOver')} onClose={onClose}>
      <HandOverForm
        onSubmit={(body) => handOver.mutate({ params: { workspace, alert: alert.id }, body }, { onSuccess: onClose })}
      >
        {(isChosen) => (
          <>
            {isTooLate ? <DecidedBy alert={alert} /> : null}
            <DialogEnd problem={handOver.error} onCancel={onClose}>
              <Button type="submit" look="main" busy={handOver.isPending} disabled={!isChosen || isTooLate}>
                {t('alerts.handOver')}
              </Button>
            </DialogEnd>
          </>
        )}
      </HandOverForm>
    </Dialog>
  );
}

/** To whom alerts are handed over, and a note for them. */
interface Receiver {
  readonly to: string;
  readonly note?: string;
}

interface HandOverFormProps {
  readonly onSubmit: (receiver: Receiver) => void;
  readonly children: (isChosen: boolean) => ReactElement;
}

/** Asks for another person who may work here, and for a note. */
export function HandOverForm({ onSubmit, children }: HandOverFormProps): ReactElement {
  const workspace = useWorkspaceName();
  const analysts = useQuery(asking('listAnalysts', { params: { workspace } }));
  const me = useSession().account.email;
  const [chosen, setChosen] = useState('');
  const [note, setNote] = useState('');
  return (
    <Asked of={analysts} rows={2}>
      {({ items }) => {
        const others = items.filter(({ email }) => email !== me);
        const to = others.some(({ email }) => email === chosen) ? chosen : '';
        return (
          <Form onSubmit={() => onSubmit({ to, ...(note.trim() === '' ? {} : { note }) })}>
            <ReceiverFields others={others} to={to} onChoose={setChosen} note={note} onNote={setNote} />
            {children(to !== '')}
          </Form>
        );
      }}
    </Asked>
  );
}

/** As the service accepts it. */
const noteMax = 1_000;

interface ReceiverFieldsProps {
  readonly others: readonly Analyst[];
  readonly to: string;
  readonly onChoose: (to: string) => void;
  readonly note: string;
  readonly onNote: (note: string) => void;
}

function ReceiverFields({ others, to, onChoose, note, onNote }: ReceiverFieldsProps): ReactElement {
  const { t } = useTranslation();
  if (others.length === 0) return <p className="text-sm text-soft">{t('alerts.nobodyElse')}</p>;
  return (
    <>
      <Choice
        label={t('alerts.to')}
        required
        autoFocus
        value={to}
        onChange={({ target }) => onChoose(target.value)}
        options={[
          { value: '', label: t('alerts.choosePerson') },
          ...others.map(({ email, name }) => ({ value: email, label: `${name} · ${email}` })),
        ]}
      />
      <Field
        label={t('alerts.note')}
        hint={t('alerts.noteHint')}
        maxLength={noteMax}
        value={note}
        onChange={({ target }) => onNote(target.value)}
      />
    </>
  );
}

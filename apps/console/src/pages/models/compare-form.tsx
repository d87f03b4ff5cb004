import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { HistorySource } from '../policy/history-source.tsx';

interface CompareFormProps {
  readonly training: number;
  /** Of the training. */
  readonly history: string | undefined;
  readonly onClose: () => void;
}

/** Starts to compare a trained model with that of the active policy. */
export function CompareForm({ training, history: first, onClose }: CompareFormProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const navigate = useNavigate({ from: '/w/$workspace/policy' });
  const { mutate, isPending, error } = useDoing('compareModels', ['listTrainings']);
  const [history, setHistory] = useState(first);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const start = (): void =>
    mutate(
      {
        params: { workspace, training },
        body: {
          ...(history === undefined ? {} : { history }),
          ...(from === '' ? {} : { from }),
          ...(to === '' ? {} : { to }),
        },
      },
      {
        onSuccess: ({ id }) => {
          onClose();
          void navigate({ search: (before) => ({ ...before, training: id }) });
        },
      },
    );
  return (
    <Dialog title={t('models.compare')} onClose={onClose}>
      <Form onSubmit={start}>
        <p className="text-sm text-soft">{t('models.compareHint')}</p>
        <HistorySource log={t('tried.wholeLog')} history={history} onChange={setHistory} />
        <div className="flex gap-3">
          <Field
            label={t('tried.from')}
            type="date"
            className="grow"
            value={from}
            onChange={({ target }) => setFrom(target.value)}
          />
          <Field
            label={t('tried.to')}
            type="date"
            className="grow"
            min={from}
            value={to}
            onChange={({ target }) => setTo(target.value)}
          />
        </div>
        <DialogEnd problem={error} onCancel={onClose}>
          <Button type="submit" look="main" busy={isPending}>
            {t('models.compare')}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}

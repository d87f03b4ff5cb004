import { BellOff, Lock, UserRoundPen, X } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Asked, delay } from '../../api/delayed-changes.ts';
import type { Alert } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Amount } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { HandOverForm } from './hand-over.tsx';
import { Risk } from './risk.tsx';
import { noSuppression, SuppressFields } from './suppress.tsx';
import { type Verdict, verdictLooks, verdicts } from './verdict.ts';

type Change = Verdict | 'suppress' | 'handOver';

interface BulkProps {
  readonly alerts: readonly Alert[];
  /** Nothing is selected any more. */
  readonly onDone: () => void;
}

/**
 * Changes the selected alerts. Claims are written at once, so that no one else takes these alerts meanwhile; everything
 * else is confirmed, and can then be undone for a while.
 */
export function Bulk({ alerts, onDone }: BulkProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const [asked, setAsked] = useState<Change>();
  const ids = alerts.map(({ id }) => id);
  const claim = useDoing('claimAlerts', ['listAlerts', 'readAlert', 'readAlertNumbers'], {
    done: ({ changed, refused }) => {
      if (changed > 0) notices.say(t('alerts.claimedMany', { count: changed }));
      if (refused.length > 0) notices.warn(t('alerts.notClaimed', { count: refused.length, why: refused[0]!.detail }));
    },
    failed: ({ message }) => notices.warn(message),
  });
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-t-lg border-b border-line bg-fence-wash px-3 py-2 text-sm">
      <span role="status" className="grow font-medium">
        {t('alerts.marked', { count: alerts.length })}
      </span>
      <Button small look="quiet" onClick={onDone}>
        <X aria-hidden className="size-3.5" />
        {t('alerts.unmark')}
      </Button>
      <div className="flex w-full flex-wrap gap-2">
        <Button
          small
          busy={claim.isPending}
          onClick={() => claim.mutate({ params: { workspace }, body: { alerts: ids } }, { onSuccess: onDone })}
        >
          <Lock aria-hidden className="size-3.5" />
          {t('alerts.claim')}
        </Button>
        <Button small onClick={() => setAsked('handOver')}>
          <UserRoundPen aria-hidden className="size-3.5" />
          {t('alerts.handOver')}
        </Button>
        <Button small onClick={() => setAsked('suppress')}>
          <BellOff aria-hidden className="size-3.5" />
          {t('alerts.suppress')}
        </Button>
        {verdicts.map((outcome) => {
          const { sign: Sign, colour } = verdictLooks[outcome];
          return (
            <Button key={outcome} small onClick={() => setAsked(outcome)}>
              <Sign aria-hidden className={`size-3.5 ${colour}`} />
              {t(`alerts.outcome.${outcome}`)}
            </Button>
          );
        })}
      </div>
      {asked === undefined ? null : (
        <BulkDialog change={asked} alerts={alerts} onClose={() => setAsked(undefined)} onDone={onDone} />
      )}
    </div>
  );
}

interface BulkDialogProps extends BulkProps {
  readonly change: Change;
  readonly onClose: () => void;
}

/** Says how many alerts are changed, and which, and asks for what the change needs. */
function BulkDialog({ change, alerts, onClose, onDone }: BulkDialogProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const [suppression, setSuppression] = useState(noSuppression);
  const ids = alerts.map(({ id }) => id);
  const params = { workspace };
  const text = t(`delayed.${change}`, { count: ids.length });
  const begin = (asked: Asked): void => {
    delay(asked, text);
    onClose();
    onDone();
  };
  const confirm = (isReady = true): ReactElement => (
    <>
      <p className="text-xs text-soft">{t('alerts.undoHint')}</p>
      <DialogEnd onCancel={onClose}>
        <Button type="submit" look={change === 'fraud' ? 'danger' : 'main'} disabled={!isReady}>
          {text}
        </Button>
      </DialogEnd>
    </>
  );
  const submit = (): void => {
    if (change === 'suppress') {
      const { hours, why } = suppression;
      begin({ operation: 'suppressAlerts', input: { params, body: { alerts: ids, hours, why } } });
    } else if (change !== 'handOver') {
      begin({ operation: 'closeAlerts', input: { params, body: { alerts: ids, outcome: change } } });
    }
  };
  return (
    <Dialog title={text} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <ChosenAlerts alerts={alerts} />
        {change === 'handOver' ? (
          <HandOverForm
            onSubmit={(receiver) =>
              begin({ operation: 'handOverAlerts', input: { params, body: { alerts: ids, ...receiver } } })
            }
          >
            {confirm}
          </HandOverForm>
        ) : (
          <Form onSubmit={submit}>
            {change === 'suppress' ? <SuppressFields value={suppression} onChange={setSuppression} /> : null}
            {confirm()}
          </Form>
        )}
      </div>
    </Dialog>
  );
}

function ChosenAlerts({ alerts }: Pick<BulkProps, 'alerts'>): ReactElement {
  const { t } = useTranslation();
  return (
    <ul
      tabIndex={0}
      aria-label={t('section.alerts')}
      className="max-h-56 divide-y divide-line overflow-y-auto rounded-md border border-line text-sm"
    >
      {alerts.map(({ id, risk, client, reasons, amount, currency }) => (
        <li key={id} className="flex items-center gap-2 px-2 py-1">
          <Risk value={risk} />
          <span className="min-w-0 grow truncate">{client ?? t('alerts.noClient')}</span>
          {reasons.slice(0, 2).map((reason) => (
            <Badge key={reason}>{reason}</Badge>
          ))}
          <span className="text-xs text-soft">
            <Amount digits={amount} currency={currency} />
          </span>
        </li>
      ))}
    </ul>
  );
}

import { BellOff, Lock, UserRoundPen } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail, Hold, Operations } from '../../api/operations.generated.ts';
import { useDoing, useIsDoing } from '../../api/use-api.ts';
import { useRight, useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useKeys } from '../../shell/use-keys.ts';
import { DecideAlert } from './decide-alert.tsx';
import { DecidedBy } from './decided-by.tsx';
import { HandOver } from './hand-over.tsx';
import { DueTime } from './due-time.tsx';
import { HandedOver } from './handed-over.tsx';
import { useCloseAlert, useCorrectAlert } from './use-close-alert.ts';
import { Suppress } from './suppress.tsx';
import { type Verdict, verdictLooks, verdicts } from './verdict.ts';

const changed = ['listAlerts', 'readAlert', 'readAlertNumbers'] as const satisfies readonly (keyof Operations)[];

interface AlertToolsProps {
  readonly alert: AlertDetail;
  /** Payments of the client that are still held. */
  readonly held: readonly Hold[];
}

/** Claim, decide, suppress, hand over; by a click, or by `c`, `f`, `l` and `i`. */
export function AlertTools({ alert, held }: AlertToolsProps): ReactElement | null {
  const mayWork = useRight('work');
  const mayDecide = useRight('decide');
  const isHeld = alert.events.some(({ id }) => held.some(({ event }) => event === id));
  const [asked, setAsked] = useState<Asked>();
  if (!mayWork) return <HandedOver alert={alert} />;
  const close = (): void => setAsked(undefined);
  return (
    <>
      <HandedOver alert={alert} />
      {alert.state === 'open' ? (
        <OpenTools alert={alert} asks={isHeld && mayDecide} onAsk={setAsked} />
      ) : (
        <ClosedTools alert={alert} />
      )}
      {/* Kept open when another user closes the alert, so that typed text is not lost. */}
      {asked === 'suppress' ? <Suppress alert={alert} onClose={close} /> : null}
      {asked === 'handOver' ? <HandOver alert={alert} onClose={close} /> : null}
      {asked === 'fraud' || asked === 'legitimate' || asked === 'inconclusive' ? (
        <DecideAlert alert={alert} outcome={asked} isHeld={isHeld && mayDecide} onClose={close} />
      ) : null}
    </>
  );
}

type Asked = 'suppress' | 'handOver' | Verdict | undefined;

/** Changes the decision of a closed alert. It has no keyboard shortcut. */
function ClosedTools({ alert }: { readonly alert: AlertDetail }): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName(), alert: alert.id };
  const correct = useCorrectAlert();
  const [isFraud, setFraud] = useState(false);
  const others = verdicts.filter((outcome) => outcome !== alert.outcome || outcome === 'fraud');
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2 border-t border-line pt-3">
      <DecidedBy alert={alert} />
      <span className="text-sm text-soft">{t('alerts.correct')}</span>
      {others.map((outcome) => (
        <Button
          key={outcome}
          look="quiet"
          busy={correct.isPending}
          title={t('alerts.correctHint')}
          onClick={() => (outcome === 'fraud' ? setFraud(true) : correct.mutate({ params, body: { outcome } }))}
        >
          {t(outcome === alert.outcome ? 'alerts.fraudDetails' : `alerts.outcome.${outcome}`)}
        </Button>
      ))}
      {isFraud ? <DecideAlert alert={alert} outcome="fraud" isHeld={false} onClose={() => setFraud(false)} /> : null}
      {correct.error === null ? null : (
        <div className="w-full">
          <ProblemNote problem={correct.error} />
        </div>
      )}
    </div>
  );
}

/** Equal in weight: neither decision is suggested. */
interface OpenToolsProps {
  readonly alert: AlertDetail;
  /** Every decision also asks about its held payments. */
  readonly asks: boolean;
  readonly onAsk: (asked: Asked) => void;
}

function OpenTools({ alert, asks, onAsk }: OpenToolsProps): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName(), alert: alert.id };
  const isMine = alert.claimedBy === useSession().account.email;
  const claim = useDoing('claimAlert', changed);
  const release = useDoing('releaseAlert', changed);
  const close = useCloseAlert();
  const decide = (outcome: Verdict): void => {
    if (asks || outcome === 'fraud') onAsk(outcome);
    else close.mutate({ params, body: { outcome } });
  };
  const toggle = (): void => (isMine ? release : claim).mutate({ params });
  const isDoing = useIsDoing();
  // Like the buttons, keys do nothing while an operation is running.
  const unlessBusy = (act: () => void) => () => isDoing('claimAlert', 'releaseAlert', 'closeAlert') || act();
  useKeys({
    c: unlessBusy(toggle),
    f: unlessBusy(() => decide('fraud')),
    l: unlessBusy(() => decide('legitimate')),
    i: unlessBusy(() => decide('inconclusive')),
  });
  const problem = claim.error ?? release.error ?? close.error;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2 border-t border-line pt-3">
      <Button busy={claim.isPending || release.isPending} onClick={toggle}>
        <Lock aria-hidden className="size-4" />
        {t(isMine ? 'alerts.unclaim' : 'alerts.claim')}
        <kbd className="font-mono text-2xs text-soft">c</kbd>
      </Button>
      {verdicts.map((outcome) => {
        const { sign: Sign, key, colour } = verdictLooks[outcome];
        return (
          <Button key={outcome} busy={close.isPending} onClick={() => decide(outcome)}>
            <Sign aria-hidden className={`size-4 ${colour}`} />
            {t(`alerts.outcome.${outcome}`)}
            <kbd className="font-mono text-2xs text-soft">{key}</kbd>
          </Button>
        );
      })}
      <span className="ml-auto flex flex-wrap items-center gap-2">
        {alert.dueAt === undefined ? null : (
          <span className="text-xs text-soft">
            <DueTime at={alert.dueAt} />
          </span>
        )}
        <Button look="quiet" onClick={() => onAsk('suppress')}>
          <BellOff aria-hidden className="size-4" />
          {t('alerts.suppress')}
        </Button>
        <Button look="quiet" onClick={() => onAsk('handOver')}>
          <UserRoundPen aria-hidden className="size-4" />
          {t('alerts.handOver')}
        </Button>
      </span>
      {problem === null ? null : (
        <div className="w-full">
          <ProblemNote problem={problem} />
        </div>
      )}
    </div>
  );
}

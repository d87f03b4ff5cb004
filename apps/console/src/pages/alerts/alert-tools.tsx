import { BellOff, Check, Lock, ShieldX, UserRoundPen } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail, Hold, Operations } from '../../api/operations.generated.ts';
import { useDoing, useIsDoing } from '../../api/use-api.ts';
import { useRight, useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useKeys } from '../../shell/use-keys.ts';
import { CloseWithHolds } from './close-with-holds.tsx';
import { DecidedBy } from './decided-by.tsx';
import { HandOver } from './hand-over.tsx';
import { useCloseAlert } from './use-close-alert.ts';
import { Suppress } from './suppress.tsx';

const changed = ['listAlerts', 'readAlert', 'readAlertNumbers'] as const satisfies readonly (keyof Operations)[];

interface AlertToolsProps {
  readonly alert: AlertDetail;
  /** Payments of the client that are still held. */
  readonly held: readonly Hold[];
}

/** Claim, decide, suppress, hand over; by a click, or by `c`, `f` and `l`. */
export function AlertTools({ alert, held }: AlertToolsProps): ReactElement | null {
  const mayWork = useRight('work');
  const [asked, setAsked] = useState<Asked>();
  if (!mayWork) return null;
  const close = (): void => setAsked(undefined);
  return (
    <>
      {alert.state === 'open' ? (
        <OpenTools alert={alert} held={held} onAsk={setAsked} />
      ) : (
        <ClosedTools alert={alert} />
      )}
      {/* Kept open when another user closes the alert, so that typed text is not lost. */}
      {asked === 'suppress' ? <Suppress alert={alert} onClose={close} /> : null}
      {asked === 'handOver' ? <HandOver alert={alert} onClose={close} /> : null}
    </>
  );
}

type Asked = 'suppress' | 'handOver' | undefined;

/** Changes the decision of a closed alert. It has no keyboard shortcut. */
function ClosedTools({ alert }: { readonly alert: AlertDetail }): ReactElement {
  const { t } = useTranslation();
  const notices = useNotices();
  const params = { workspace: useWorkspaceName(), alert: alert.id };
  const correct = useDoing('correctAlert', changed, {
    done: (_, { body: { outcome } }) => notices.say(t(`alerts.decidedAs.${outcome}`)),
  });
  const others = (['fraud', 'legitimate'] as const).filter((outcome) => outcome !== alert.outcome);
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
          onClick={() => correct.mutate({ params, body: { outcome } })}
        >
          {t(`alerts.outcome.${outcome}`)}
        </Button>
      ))}
      {correct.error === null ? null : (
        <div className="w-full">
          <ProblemNote problem={correct.error} />
        </div>
      )}
    </div>
  );
}

interface OpenToolsProps extends AlertToolsProps {
  readonly onAsk: (asked: Asked) => void;
}

function OpenTools({ alert, held, onAsk }: OpenToolsProps): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName(), alert: alert.id };
  const isMine = alert.claimedBy === useSession().account.email;
  const claim = useDoing('claimAlert', changed);
  const release = useDoing('releaseAlert', changed);
  const close = useCloseAlert();
  const mayDecide = useRight('decide');
  const [closing, setClosing] = useState<'fraud' | 'legitimate'>();
  const isHeld = alert.events.some(({ id }) => held.some(({ event }) => event === id));
  const decide = (outcome: 'fraud' | 'legitimate'): void => {
    if (isHeld && mayDecide) setClosing(outcome);
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
  });
  const problem = claim.error ?? release.error ?? close.error;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2 border-t border-line pt-3">
      <Button busy={claim.isPending || release.isPending} onClick={toggle}>
        <Lock aria-hidden className="size-4" />
        {t(isMine ? 'alerts.release' : 'alerts.claim')}
        <kbd className="font-mono text-2xs text-soft">c</kbd>
      </Button>
      <Button look="danger" busy={close.isPending} onClick={() => decide('fraud')}>
        <ShieldX aria-hidden className="size-4" />
        {t('alerts.outcome.fraud')}
        <kbd className="font-mono text-2xs">f</kbd>
      </Button>
      <Button look="main" busy={close.isPending} onClick={() => decide('legitimate')}>
        <Check aria-hidden className="size-4" />
        {t('alerts.outcome.legitimate')}
        <kbd className="font-mono text-2xs">l</kbd>
      </Button>
      <span className="ml-auto flex gap-2">
        <Button look="quiet" onClick={() => onAsk('suppress')}>
          <BellOff aria-hidden className="size-4" />
          {t('alerts.suppress')}
        </Button>
        <Button look="quiet" onClick={() => onAsk('handOver')}>
          <UserRoundPen aria-hidden className="size-4" />
          {t('alerts.handOver')}
        </Button>
      </span>
      {closing === undefined ? null : (
        <CloseWithHolds alert={alert.id} outcome={closing} onClose={() => setClosing(undefined)} />
      )}
      {problem === null ? null : (
        <div className="w-full">
          <ProblemNote problem={problem} />
        </div>
      )}
    </div>
  );
}

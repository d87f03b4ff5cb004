import { Check, Undo2, X } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Hold } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Countdown, useIsOver } from '../../parts/countdown.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { DecideDialog } from './decide-dialog.tsx';
import { pendingDecision } from './pending-decision.ts';
import { type HoldDecision, showingHolds } from './use-decide-holds.ts';

/** What can be done about an open hold: decide, undo within 30 seconds, confirm or refuse as the second person. */
export function HoldTools({ hold }: { readonly hold: Hold }): ReactElement | null {
  const mayDecide = useRight('decide');
  const decision = pendingDecision(hold);
  if (decision !== undefined) return <PendingDecision hold={hold} decision={decision} mayDecide={mayDecide} />;
  return mayDecide && hold.state === 'open' ? <DecideButtons hold={hold} /> : null;
}

function DecideButtons({ hold }: { readonly hold: Hold }): ReactElement {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<HoldDecision>();
  return (
    <span className="flex gap-2">
      <Button small look="main" onClick={() => setAsked('release')}>
        <Check aria-hidden className="size-3.5" />
        {t('holds.release')}
      </Button>
      <Button small look="danger" onClick={() => setAsked('reject')}>
        <X aria-hidden className="size-3.5" />
        {t('holds.reject')}
      </Button>
      {asked === undefined ? null : (
        <DecideDialog holds={[hold.id]} decision={asked} onDone={() => undefined} onClose={() => setAsked(undefined)} />
      )}
    </span>
  );
}

interface PendingDecisionProps {
  readonly hold: Hold;
  readonly decision: NonNullable<Hold['decision']>;
  readonly mayDecide: boolean;
}

/** A decision that can be undone, or waits for a second person. */
function PendingDecision({ hold, decision, mayDecide }: PendingDecisionProps): ReactElement {
  const { t } = useTranslation();
  const isMine = decision.author === useSession().account.email;
  const isOver = useIsOver(decision.undoUntil);
  const isWaiting = decision.state === 'second';
  return (
    <span className="flex flex-wrap items-center gap-2 text-sm" role="status">
      <span className="font-medium">{t(`holds.decided.${decision.decision}`, { name: decision.author })}</span>
      {decision.needsSecond ? <span className="text-warn">{t('holds.second')}</span> : null}
      {decision.state === 'undoable' && !isOver && !decision.needsSecond ? (
        <span className="text-soft">
          {t('holds.waits')} <Countdown to={decision.undoUntil} />
        </span>
      ) : null}
      {mayDecide && isMine && (isWaiting || (decision.state === 'undoable' && !isOver)) ? <Undo hold={hold} /> : null}
      {mayDecide && !isMine && isWaiting ? <SecondButtons hold={hold} /> : null}
    </span>
  );
}

function Undo({ hold }: { readonly hold: Hold }): ReactElement {
  const { t } = useTranslation();
  const notices = useNotices();
  const params = { workspace: useWorkspaceName(), hold: hold.id };
  const undo = useDoing('undoHoldDecision', showingHolds, {
    done: () => notices.say(t('holds.undone')),
    failed: ({ message }) => notices.warn(message),
  });
  return (
    <Button small busy={undo.isPending} onClick={() => undo.mutate({ params })}>
      <Undo2 aria-hidden className="size-3.5" />
      {t('act.undo')}
    </Button>
  );
}

function SecondButtons({ hold }: { readonly hold: Hold }): ReactElement {
  const { t } = useTranslation();
  const notices = useNotices();
  const params = { workspace: useWorkspaceName(), hold: hold.id };
  const answer = useDoing('answerHoldDecision', showingHolds, { failed: ({ message }) => notices.warn(message) });
  return (
    <span className="flex gap-2">
      <Button
        small
        look="main"
        busy={answer.isPending}
        onClick={() => answer.mutate({ params, body: { decision: 'confirm' } })}
      >
        {t('holds.confirm')}
      </Button>
      <Button small busy={answer.isPending} onClick={() => answer.mutate({ params, body: { decision: 'refuse' } })}>
        {t('holds.refuse')}
      </Button>
    </span>
  );
}

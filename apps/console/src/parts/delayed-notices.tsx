import { useQueryClient } from '@tanstack/react-query';
import { Hourglass } from 'lucide-react';
import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type DelayedChange,
  delayedChanges,
  onDelayed,
  onOutcome,
  type Outcome,
  takeLost,
  undo,
} from '../api/delayed-changes.ts';
import { timeLeft } from './countdown.tsx';
import { useNotices } from './notices.tsx';
import { hearTicks } from './ticker.ts';

/** Changes that can still be undone, each with the time left, and the result of those that were sent. */
export function DelayedNotices(): ReactElement {
  const { t } = useTranslation();
  const changes = useDelayed();
  useOutcomes();
  return (
    <div role="status" aria-label={t('delayed.title')} className="flex flex-col gap-2 empty:hidden">
      {changes.map((change) => (
        <DelayedNotice key={change.id} change={change} />
      ))}
    </div>
  );
}

export function useDelayed(): readonly DelayedChange[] {
  return useSyncExternalStore(onDelayed, delayedChanges);
}

function DelayedNotice({ change }: { readonly change: DelayedChange }): ReactElement {
  const { t } = useTranslation();
  return (
    <div className="flex items-center gap-3 rounded-lg border border-line bg-card px-3 py-2.5 text-sm shadow-lift">
      <Hourglass aria-hidden className="size-4 shrink-0 text-warn" />
      <span className="min-w-0 grow">{change.text}</span>
      {/* Read out once, and not every second. */}
      <span aria-hidden className="font-mono text-soft tabular-nums">
        <TimeLeft toMs={change.sentAtMs} />
      </span>
      <button type="button" className="font-medium text-fence" onClick={() => undo(change)}>
        {t('act.undo')}
      </button>
    </div>
  );
}

function TimeLeft({ toMs }: { readonly toMs: number }): string {
  return useSyncExternalStore(hearTicks, () => timeLeft(toMs - Date.now()));
}

function useOutcomes(): void {
  const { t } = useTranslation();
  const client = useQueryClient();
  const notices = useNotices();
  useEffect(() => {
    for (const text of takeLost()) notices.warn(t('delayed.lost', { text }));
  }, [notices, t]);
  useEffect(
    () =>
      onOutcome((outcome) => {
        tell(outcome);
        for (const changed of ['listAlerts', 'readAlert', 'readAlertNumbers', 'listAlertSuppressions']) {
          void client.invalidateQueries({ queryKey: [changed] });
        }
      }),
    // The texts of the language in which the answer arrives.
  );
  function tell(outcome: Outcome): void {
    if ('problem' in outcome) {
      notices.warn(t('delayed.failed', { text: outcome.change.text, why: outcome.problem.message }));
      return;
    }
    const { changed, refused } = outcome.answer;
    if (changed > 0) notices.say(t('alerts.changed', { count: changed }));
    for (const { detail } of refused.slice(0, toldMax)) notices.warn(detail);
    if (refused.length > toldMax) notices.warn(t('alerts.refusedMore', { count: refused.length - toldMax }));
    const held = 'openHolds' in outcome.answer ? outcome.answer.openHolds.length : 0;
    if (held > 0) notices.warn(t('holds.stillHeld', { count: held }));
  }
}

/** Refused alerts that are named each. */
const toldMax = 2;

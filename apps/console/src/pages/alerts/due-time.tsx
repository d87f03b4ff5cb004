import { type ReactElement, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../format/use-formats.ts';
import { useIsOver } from '../../parts/countdown.tsx';
import { hearTicks } from '../../parts/ticker.ts';

/** The time left until an alert is due, to the minute, or by how much it is overdue. */
export function DueTime({ at }: { readonly at: string }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const isOver = useIsOver(at);
  const time = useSyncExternalStore(hearTicks, () => timeOf(Math.abs(Date.parse(at) - Date.now())));
  return (
    <time
      dateTime={at}
      title={`${t('alerts.due')} ${formats.instant(at)} · ${at}`}
      className={`whitespace-nowrap ${isOver ? 'font-medium text-bad' : ''}`}
    >
      {t(isOver ? 'alerts.overdueBy' : 'alerts.dueIn', { time })}
    </time>
  );
}

const [minuteMs, hourM, dayM] = [60_000, 60, 1_440];

/** `12 min`, `5 h 03 min`, `3 d`. */
function timeOf(ms: number): string {
  const minutes = Math.floor(ms / minuteMs);
  if (minutes < hourM) return `${minutes} min`;
  if (minutes >= 2 * dayM) return `${Math.floor(minutes / dayM)} d`;
  return `${Math.floor(minutes / hourM)} h ${String(minutes % hourM).padStart(2, '0')} min`;
}

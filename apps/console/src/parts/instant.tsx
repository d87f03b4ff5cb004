import { type ReactElement, useSyncExternalStore } from 'react';
import { useFormats } from '../format/use-formats.ts';

interface InstantProps {
  readonly at: string;
  /** Only the time of day, or the elapsed time. */
  readonly as?: 'instant' | 'clock' | 'ago' | 'day';
}

/** An instant in the time zone of the workspace; the tooltip shows it in UTC. */
export function Instant({ at, as = 'instant' }: InstantProps): ReactElement {
  const formats = useFormats();
  return (
    <time
      dateTime={at}
      title={as === 'instant' ? at : `${formats.instant(at)} · ${at}`}
      className="sm:whitespace-nowrap"
    >
      {as === 'ago' ? <Ago at={at} /> : formats[as](at)}
    </time>
  );
}

/** Updates elapsed time on a timer: in a quiet queue nothing else would render it again. */
function Ago({ at }: Pick<InstantProps, 'at'>): string {
  const formats = useFormats();
  return useSyncExternalStore(hearTicks, () => formats.ago(at, Date.now()));
}

/** Seconds are shown in the first minute only, and need not be exact. */
const tickMs = 5_000;
const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

/** One timer for all instances. */
function hearTicks(listener: () => void): () => void {
  listeners.add(listener);
  ticking ??= setInterval(() => listeners.forEach((hear) => hear()), tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

import { type ReactElement, useSyncExternalStore } from 'react';
import { useFormats } from '../format/use-formats.ts';

interface InstantProps {
  readonly at: string;
  /** Only the time of day, or how long ago. */
  readonly as?: 'instant' | 'clock' | 'ago' | 'day';
}

/** A moment in the workspace's zone; the exact instant in UTC shows when the pointer rests on it. */
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

/** Follows the time also where nothing else changes: a queue that is quiet would say of an old alert that it is new. */
function Ago({ at }: Pick<InstantProps, 'at'>): string {
  const formats = useFormats();
  return useSyncExternalStore(hearTicks, () => formats.ago(at, Date.now()));
}

/** Seconds are told in the first minute only, and nobody counts them. */
const tickMs = 5_000;
const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

/** One timer for all that are shown. */
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

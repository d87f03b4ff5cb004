import { type ReactElement, useSyncExternalStore } from 'react';
import { useFormats } from '../format/use-formats.ts';
import { hearTicks } from './ticker.ts';

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

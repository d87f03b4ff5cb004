import type { ReactElement } from 'react';
import { useFormats } from '../format/use-formats.ts';

interface InstantProps {
  readonly at: string;
  /** Only the time of day, or how long ago. */
  readonly as?: 'instant' | 'clock' | 'ago' | 'day';
}

/** A moment in the workspace's zone; the exact instant in UTC shows when the pointer rests on it. */
export function Instant({ at, as = 'instant' }: InstantProps): ReactElement {
  const formats = useFormats();
  const text = as === 'ago' ? formats.ago(at, Date.now()) : formats[as](at);
  return (
    <time
      dateTime={at}
      title={as === 'instant' ? at : `${formats.instant(at)} · ${at}`}
      className="sm:whitespace-nowrap"
    >
      {text}
    </time>
  );
}

import type { ReactElement } from 'react';

interface ProgressBarProps {
  readonly label: string;
  readonly done: number;
  /** 0: nobody knows yet, and the bar says no more than that something is under way. */
  readonly total: number;
  readonly isWide?: boolean;
}

/** How much of something is done. */
export function ProgressBar({ label, done, total, isWide = false }: ProgressBarProps): ReactElement {
  return (
    <progress
      aria-label={label}
      value={total === 0 ? undefined : done}
      max={Math.max(1, total)}
      className={`walk h-1.5 ${isWide ? 'w-full' : 'w-56'}`}
    />
  );
}

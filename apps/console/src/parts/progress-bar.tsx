import type { ReactElement } from 'react';

interface ProgressBarProps {
  readonly label: string;
  readonly done: number;
  /** 0: unknown, shown as indeterminate. */
  readonly total: number;
  readonly isWide?: boolean;
}

/** A progress bar. */
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

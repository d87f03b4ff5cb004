import type { ReactElement, ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'watch' | 'cool';

const tones: Readonly<Record<Tone, string>> = {
  plain: 'bg-sunken text-soft',
  good: 'bg-fence-wash text-fence-deep',
  bad: 'bg-bad-wash text-bad',
  warn: 'bg-warn-wash text-warn',
  watch: 'bg-watch-wash text-watch',
  cool: 'bg-cool-wash text-cool',
};

interface BadgeProps {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}

/** A status label. It never relies on colour alone. */
export function Badge({ tone = 'plain', title, children }: BadgeProps): ReactElement {
  return (
    <span
      title={title}
      className={classNames(
        'inline-flex h-5 items-center gap-1 rounded px-1.5 text-xs font-medium whitespace-nowrap',
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}

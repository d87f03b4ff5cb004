import type { ReactElement, ReactNode } from 'react';
import { classNames } from './class-names.ts';

interface PanelProps {
  readonly title?: ReactNode;
  readonly hint?: ReactNode;
  readonly tools?: ReactNode;
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A card with a heading. `flush`: no padding. */
export function Panel({ title, hint, tools, flush, className, children }: PanelProps): ReactElement {
  return (
    <section className={classNames('rounded-lg border border-line bg-card', className)}>
      {title === undefined ? null : (
        <header className="flex min-h-11 flex-wrap items-center gap-x-3 px-4 pt-2">
          <h2 className="text-sm font-semibold">{title}</h2>
          {hint === undefined ? null : <span className="text-xs text-soft">{hint}</span>}
          <div className="ml-auto flex items-center gap-2">{tools}</div>
        </header>
      )}
      <div className={flush === true ? '' : 'px-4 pt-2 pb-4'}>{children}</div>
    </section>
  );
}

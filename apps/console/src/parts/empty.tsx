import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';

interface EmptyProps {
  readonly sign: LucideIcon;
  readonly title: ReactNode;
  readonly children?: ReactNode;
}

/** Empty state, with a hint how to fill it. */
export function Empty({ sign: Sign, title, children }: EmptyProps): ReactElement {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <span className="grid size-10 place-items-center rounded-full bg-sunken">
        <Sign aria-hidden className="size-5 text-soft" />
      </span>
      <div className="font-medium">{title}</div>
      <div className="max-w-md text-sm text-soft">{children}</div>
    </div>
  );
}

import { type ReactElement, type ReactNode, useEffect } from 'react';
import { useOpenAlerts } from '../api/live.ts';

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

/** Page layout: title, tools and content. */
export function Page({ title, lead, tools, children }: PageProps): ReactElement {
  const waiting = useOpenAlerts();
  useEffect(() => {
    document.title = `${waiting === undefined ? '' : `(${waiting}) `}${title} · Ringfence`;
  }, [title, waiting]);
  return (
    <div className="mx-auto flex w-full max-w-[1680px] flex-col gap-4 px-3 py-5 lg:px-6">
      <header className="flex min-h-9 flex-wrap items-end gap-x-4 gap-y-2">
        <div className="min-w-40 grow">
          <h1 className="line-clamp-3 text-xl font-semibold tracking-tight wrap-anywhere" title={title}>
            {title}
          </h1>
          {lead === undefined ? null : <div className="mt-0.5 text-soft">{lead}</div>}
        </div>
        <div className="flex flex-wrap items-center gap-2">{tools}</div>
      </header>
      {children}
    </div>
  );
}

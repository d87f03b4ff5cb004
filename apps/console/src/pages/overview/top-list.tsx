import type { ReactElement } from 'react';
import { useFormats } from '../../format/use-formats.ts';
import { Panel } from '../../parts/panel.tsx';

interface Counted {
  readonly key: string;
  readonly count: number;
}

interface TopListProps {
  readonly title: string;
  readonly items: readonly Counted[];
  readonly none: string;
}

/** The highest counts. */
export function TopList({ title, items, none }: TopListProps): ReactElement {
  return (
    <Panel title={title}>
      {items.length === 0 ? <p className="text-sm text-soft">{none}</p> : <TopBars items={items} />}
    </Panel>
  );
}

/** Names with bars in proportion to their counts. */
export function TopBars({ items }: { readonly items: readonly Counted[] }): ReactElement {
  const formats = useFormats();
  const max = Math.max(1, ...items.map(({ count }) => count));
  return (
    <ul className="flex flex-col gap-1.5 text-sm">
      {items.map(({ key, count }) => (
        <li key={key} className="grid grid-cols-[minmax(0,1fr)_7rem_3rem] items-center gap-3">
          <span className="truncate">{key}</span>
          <span aria-hidden className="h-1.5 rounded-full bg-sunken">
            <span className="block h-full rounded-full bg-fence" style={{ width: `${(100 * count) / max}%` }} />
          </span>
          <span className="text-right">{formats.number(count)}</span>
        </li>
      ))}
    </ul>
  );
}

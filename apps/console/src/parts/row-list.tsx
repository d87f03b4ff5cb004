import { useLocation } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import type { ApiProblem } from '../api/api-problem.ts';
import { useKeys } from '../shell/use-keys.ts';
import { Loading } from './loading.tsx';
import { ProblemNote } from './problem-note.tsx';

export interface Column<Item> {
  readonly name: string;
  readonly title: string;
  /** A CSS grid track. */
  readonly width: string;
  readonly right?: boolean;
  /** Left out where the page is narrow; `most`: where it is not the widest. */
  readonly isWide?: true | 'most';
  readonly cell: (item: Item) => ReactNode;
}

/** The source of a list: pages loaded on demand, or all items. */
interface Listed<Item> {
  readonly data: { readonly pages: readonly { readonly items: readonly Item[] }[] } | undefined;
  readonly error: ApiProblem | null;
  readonly isPending: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
  refetch(): Promise<unknown>;
}

/** A list of items that are already loaded. */
export function listedWhole<Item>(items: readonly Item[]): Listed<Item> {
  return {
    data: { pages: [{ items }] },
    error: null,
    isPending: false,
    hasNextPage: false,
    isFetchingNextPage: false,
    fetchNextPage: () => Promise.resolve(),
    refetch: () => Promise.resolve(),
  };
}

interface RowListProps<Item> {
  readonly label: string;
  readonly of: Listed<Item>;
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  readonly onOpen: (item: Item) => void;
  readonly empty: ReactNode;
  /** Called with the index of the last visible row. */
  readonly rowsSeen?: RefObject<number>;
}

const rowPx = 36;
/** Rows from the end at which the next page is requested. */
const ahead = 12;

/**
 * A virtualized list: only visible rows are in the DOM, the next page is requested before the end is reached, `j` and
 * `k`
 * move, Enter opens.
 */
export function RowList<Item>(props: RowListProps<Item>): ReactElement {
  const { of, empty } = props;
  const isNarrow = useMedia('(width < 64rem)');
  const isWidest = useMedia('(width >= 84rem)');
  const columns = props.columns.filter(({ isWide }) => (isWide === 'most' ? isWidest : !(isNarrow && isWide === true)));
  const items = of.data?.pages.flatMap((page) => page.items) ?? [];
  if (of.error !== null && items.length === 0) {
    return <ProblemNote problem={of.error} onRetry={() => void of.refetch()} />;
  }
  if (of.isPending) return <Loading rows={10} />;
  if (items.length === 0 && of.hasNextPage) return <Further of={of} />;
  if (items.length === 0) return <>{empty}</>;
  return <Rows {...props} columns={columns} items={items} />;
}

/** No match so far: the service scans some thousand rows per request. */
export function Further<Item>({ of }: Pick<RowListProps<Item>, 'of'>): ReactElement {
  useEffect(() => {
    if (!of.isFetchingNextPage) void of.fetchNextPage();
  }, [of]);
  return <Loading rows={10} />;
}

type RowsProps<Item> = RowListProps<Item> & { readonly items: readonly Item[] };

function Rows<Item>({ of, items, columns, keyOf, onOpen, label, rowsSeen }: RowsProps<Item>): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const [place, keep] = usePlace(label);
  const [hereKey, setHereKey] = useState(place.key);
  // Keep the focus on its row when rows are inserted before it, and drop it when the row is gone.
  const here = hereKey === undefined ? -1 : items.findIndex((item) => keyOf(item) === hereKey);
  const isPrinted = useIsPrinted();
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    overscan: isPrinted ? items.length : 12,
    initialOffset: place.offsetPx,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rowsSeen !== undefined) rowsSeen.current = last + 1;
    if (of.hasNextPage && !of.isFetchingNextPage && last >= items.length - ahead) void of.fetchNextPage();
  }, [last, items.length, of]);
  const go = (to: number): void => {
    const at = Math.max(0, Math.min(items.length - 1, to));
    const item = items[at];
    if (item === undefined) return;
    setHereKey(keyOf(item));
    rows.scrollToIndex(at);
  };
  const keepAt = (item: Item): void => keep({ key: keyOf(item), offsetPx: box.current?.scrollTop ?? 0 });
  const leaveTo = (item: Item): void => {
    keepAt(item);
    onOpen(item);
  };
  const open = (): void => {
    const item = items[here];
    if (item !== undefined) leaveTo(item);
  };
  useKeys({ j: () => go(here + 1), k: () => go(here - 1), Enter: open });
  const template = columns.map(({ width }) => width).join(' ');
  return (
    <div
      ref={box}
      role="table"
      aria-label={label}
      aria-rowcount={-1}
      tabIndex={0}
      className="max-h-[calc(100vh-13.5rem)] overflow-auto rounded-lg text-sm"
    >
      <HeadRow columns={columns} template={template} />
      <div role="rowgroup" className="relative lg:min-w-[56rem]" style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <OneRow
              key={keyOf(item)}
              item={item}
              columns={columns}
              index={index}
              isHere={index === here}
              style={{ gridTemplateColumns: template, transform: `translateY(${start}px)`, height: rowPx }}
              onOpen={() => leaveTo(item)}
              onLeave={() => keepAt(item)}
            />
          );
        })}
      </div>
      <MoreNote busy={of.isFetchingNextPage} />
    </div>
  );
}

function useMedia(query: string): boolean {
  const [media] = useState(() => window.matchMedia(query));
  return useSyncExternalStore(
    (changed) => {
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => media.matches,
  );
}

/** True while the page is printed: then every loaded row is in the DOM. */
function useIsPrinted(): boolean {
  const [isPrinted, setPrinted] = useState(false);
  useEffect(() => {
    const set = (value: boolean) => (): void => flushSync(() => setPrinted(value));
    const [begin, end] = [set(true), set(false)];
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinted;
}

interface OneRowProps<Item> extends Pick<RowListProps<Item>, 'columns'> {
  readonly item: Item;
  readonly index: number;
  /** The row has keyboard focus. */
  readonly isHere: boolean;
  readonly style: CSSProperties;
  readonly onOpen: () => void;
  /** It contains a link to another page. */
  readonly onLeave: () => void;
}

function OneRow<Item>({ item, columns, index, isHere, style, onOpen, onLeave }: OneRowProps<Item>): ReactElement {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-current={isHere ? true : undefined}
      onClick={(event) => isPlain(event) && onOpen()}
      onClickCapture={(event) => !isPlain(event) && onLeave()}
      style={style}
      className={`absolute inset-x-0 grid cursor-pointer items-center gap-x-3 border-b border-line px-4 hover:bg-sunken ${isHere ? 'row-here' : ''}`}
    >
      {columns.map(({ name, right, cell }) => (
        <span key={name} role="cell" className={`min-w-0 truncate ${right === true ? 'text-right' : ''}`}>
          {cell(item)}
        </span>
      ))}
    </div>
  );
}

interface Place {
  /** Class of the focused or last opened row. */
  readonly key: string | undefined;
  readonly offsetPx: number;
}

/** Positions in lists by history entry, restored on "back". */
const places = new Map<string, Place>();
/** Upper bound of stored positions; the oldest are dropped. */
const placesMax = 100;

function usePlace(label: string): readonly [Place, (place: Place) => void] {
  const entry = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
  const name = `${entry} ${label}`;
  const keep = (place: Place): void => {
    places.delete(name);
    places.set(name, place);
    const [oldest] = places.keys();
    if (places.size > placesMax && oldest !== undefined) places.delete(oldest);
  };
  return [places.get(name) ?? { key: undefined, offsetPx: 0 }, keep];
}

interface HeadRowProps {
  readonly columns: readonly Pick<Column<never>, 'name' | 'title' | 'right'>[];
  readonly template: string;
}

function HeadRow({ columns, template }: HeadRowProps): ReactElement {
  return (
    <div role="rowgroup" className="sticky top-0 z-10 bg-card lg:min-w-[56rem]">
      <div
        role="row"
        className="grid h-8 items-center gap-x-3 border-b border-line px-4"
        style={{ gridTemplateColumns: template }}
      >
        {columns.map(({ name, title, right }) => (
          <span key={name} role="columnheader" className={`eyebrow truncate ${right === true ? 'text-right' : ''}`}>
            {title}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Handles clicks on the row itself, not on its links and buttons, and not the end of a text selection. */
function isPlain(event: React.MouseEvent): boolean {
  if (!(event.target instanceof Element) || event.target.closest('a, button') !== null) return false;
  return document.getSelection()?.isCollapsed !== false;
}

function MoreNote({ busy }: { readonly busy: boolean }): ReactElement | null {
  const { t } = useTranslation();
  return busy ? (
    <p role="status" className="p-3 text-center text-xs text-soft">
      {t('state.loading')}
    </p>
  ) : null;
}

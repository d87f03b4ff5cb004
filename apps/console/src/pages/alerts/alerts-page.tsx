import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { CheckCheck, ChevronsRight } from 'lucide-react';
import { type ReactElement, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Alert } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { useDoing, useIsDoing } from '../../api/use-api.ts';
import { useFollowedPages } from '../../api/use-followed-pages.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loading } from '../../parts/loading.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Further } from '../../parts/row-list.tsx';
import { tabClass, Tabs } from '../../parts/tabs.tsx';
import { useKeys } from '../../shell/use-keys.ts';
import { useRuleNames } from '../policy/use-rule-names.ts';
import { AlertNumbers } from './alert-numbers.tsx';
import { AlertRow } from './alert-row.tsx';
import { Suppressions } from './suppressions.tsx';
import { OpenAlert } from './open-alert.tsx';
import { type AlertView, alertViews } from './alerts-search.ts';

const everyMs = 5_000;
const queries = {
  queue: { state: 'open' },
  mine: { state: 'open', mine: 'true' },
  closed: { state: 'closed' },
} as const;

/** The queue by risk, next to the open alert. */
export function AlertsPage(): ReactElement {
  const { t } = useTranslation();
  const { view = 'queue', alert: open } = useSearch({ from: '/w/$workspace/alerts' });
  return (
    <Page title={t('section.alerts')} lead={<AlertNumbers />} tools={<TakeNext />}>
      <AlertViews view={view} />
      {view === 'suppressed' ? <Suppressions /> : <Desk view={view} open={open} />}
    </Page>
  );
}

interface DeskProps {
  readonly view: keyof typeof queries;
  readonly open: string | undefined;
}

function Desk({ view, open }: DeskProps): ReactElement {
  const { t } = useTranslation();
  return (
    <div className="grid grid-cols-1 lg:grid-cols-[minmax(0,25rem)_minmax(0,1fr)] items-start gap-4">
      {/* A printed alert contains one client only, not the queue. */}
      <div className={open === undefined ? '' : 'print:hidden'}>
        <AlertList key={view} view={view} />
      </div>
      {open === undefined ? (
        <Panel className="max-lg:hidden">
          <Empty sign={ChevronsRight} title={t('alerts.chooseOne')}>
            {t('alerts.chooseHint')}
          </Empty>
        </Panel>
      ) : (
        <div className="min-w-0 max-lg:order-first">
          <OpenAlert key={open} id={open} />
        </div>
      )}
    </div>
  );
}

function useOpenAlert(): (alert: string | undefined) => void {
  const navigate = useNavigate({ from: '/w/$workspace/alerts' });
  // Otherwise the router would restore an outdated scroll position.
  return (alert) =>
    void navigate({
      search: ({ alert: _before, ...rest }) => (alert === undefined ? rest : { ...rest, alert }),
      resetScroll: false,
    });
}

/** Claims the first unassigned alert of the queue. No other user gets the same one. */
function TakeNext(): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const mayWork = useRight('work');
  const notices = useNotices();
  const open = useOpenAlert();
  const next = useDoing('claimNextAlert', ['listAlerts', 'readAlertNumbers'], {
    done: ({ alert }) => alert === undefined && notices.say(t('alerts.queueEmpty')),
    failed: ({ message }) => notices.warn(message),
  });
  const take = (): void =>
    next.mutate({ params: { workspace } }, { onSuccess: ({ alert }) => alert !== undefined && open(alert.id) });
  const isDoing = useIsDoing();
  // A second key press before the answer would claim another alert.
  useKeys(mayWork ? { n: () => isDoing('claimNextAlert') || take() } : {});
  if (!mayWork) return null;
  return (
    <Button look="main" busy={next.isPending} onClick={take}>
      <ChevronsRight aria-hidden className="size-4" />
      {t('alerts.next')}
      <kbd className="font-mono text-2xs">n</kbd>
    </Button>
  );
}

/** Rows from the end at which keyboard navigation loads the next page. */
const ahead = 10;

function AlertList({ view }: Pick<DeskProps, 'view'>): ReactElement {
  const { t } = useTranslation();
  const mayWork = useRight('work');
  const { alert: opened } = useSearch({ from: '/w/$workspace/alerts' });
  const open = useOpenAlert();
  const list = useRef<HTMLUListElement>(null);
  const alerts = useQueue(view, () => {
    const worked = items.findLastIndex(({ id }) => id === opened || marked.has(id));
    return Math.max(rowsSeen(list.current), worked + 1);
  });
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const items = alerts.data?.pages.flatMap((page) => page.items) ?? [];
  const found = items.findIndex(({ id }) => id === opened);
  // Last position of the open alert: once decided it leaves the list, and the next one takes its position.
  const stood = useRef(-1);
  if (found !== -1) stood.current = found;
  const go = (by: number): void => {
    const from = found === -1 && by > 0 ? stood.current - 1 : stood.current;
    if (from + by >= items.length - ahead && alerts.hasNextPage && !alerts.isFetchingNextPage) {
      void alerts.fetchNextPage();
    }
    const next = items[Math.max(0, Math.min(items.length - 1, from + by))];
    if (next !== undefined) open(next.id);
  };
  const mark = useCallback(
    (id: string): void =>
      setMarked((before) =>
        before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
      ),
    [],
  );
  useKeys({
    j: () => go(1),
    k: () => go(-1),
    ...(mayWork ? { x: () => opened !== undefined && mark(opened) } : {}),
  });
  if (alerts.error !== null && items.length === 0)
    return <ProblemNote problem={alerts.error} onRetry={() => void alerts.refetch()} />;
  if (alerts.isPending) return <Loading rows={8} />;
  const chosen = items.filter(({ id }) => marked.has(id)).map(({ id }) => id);
  return (
    <Panel flush>
      {chosen.length === 0 ? null : <BulkClose alerts={chosen} onDone={() => setMarked(new Set())} />}
      {items.length === 0 && alerts.hasNextPage ? (
        <Further of={alerts} />
      ) : items.length === 0 ? (
        <Empty sign={CheckCheck} title={t(`alerts.none.${view}`)}>
          {t('alerts.noneHint')}
        </Empty>
      ) : (
        <AlertRows
          list={list}
          alerts={items}
          opened={opened}
          marked={marked}
          onMark={view === 'closed' || !mayWork ? undefined : mark}
        />
      )}
      {alerts.hasNextPage && items.length > 0 ? (
        <div className="p-2 text-center">
          <Button small look="quiet" busy={alerts.isFetchingNextPage} onClick={() => void alerts.fetchNextPage()}>
            {t('act.more')}
          </Button>
        </div>
      ) : null}
    </Panel>
  );
}

function useQueue(view: DeskProps['view'], needed: () => number) {
  const params = { workspace: useWorkspaceName() };
  const query = { ...queries[view], ...usePersonal() };
  return useFollowedPages('listAlerts', { params, query }, { events: ['alert'], everyMs, needed });
}

interface AlertRowsProps {
  readonly list: RefObject<HTMLUListElement | null>;
  readonly alerts: readonly Alert[];
  readonly opened: string | undefined;
  readonly marked: ReadonlySet<string>;
  readonly onMark: ((id: string) => void) | undefined;
}

/** Scrolls the list, and nothing else, to the open alert: in a narrow window the list is below the alert. */
function AlertRows({ list, alerts, opened, marked, onMark }: AlertRowsProps): ReactElement {
  const { t } = useTranslation();
  const names = useRuleNames();
  const { hrefOf, choose } = useWaysToAlerts();
  const at = alerts.findIndex(({ id }) => id === opened);
  useEffect(() => {
    const box = list.current!.getBoundingClientRect();
    const row = list.current!.children[at]?.getBoundingClientRect();
    if (row === undefined) return;
    list.current!.scrollTop += Math.min(0, row.top - box.top) + Math.max(0, row.bottom - box.bottom);
  }, [opened, at]);
  return (
    <ul
      ref={list}
      className="max-h-[calc(100vh-14rem)] divide-y divide-line overflow-y-auto"
      aria-label={t('section.alerts')}
    >
      {alerts.map((alert) => (
        <AlertRow
          key={alert.id}
          alert={alert}
          isOpen={alert.id === opened}
          isMarked={marked.has(alert.id)}
          names={names}
          href={hrefOf(alert.id)}
          onOpen={choose}
          onMark={onMark}
        />
      ))}
    </ul>
  );
}

/** Links of rows: an address and a click handler that uses the router. */
function useWaysToAlerts() {
  const { options } = useRouter();
  const { alert: _opened, ...rest } = useSearch({ from: '/w/$workspace/alerts' });
  const navigate = useNavigate({ from: '/w/$workspace/alerts' });
  const choose = useCallback((alert: string) => void navigate({ search: (before) => ({ ...before, alert }) }), []);
  return { hrefOf: (alert: string) => options.stringifySearch({ ...rest, alert }), choose };
}

/** Index of the last visible row, assuming equal heights. */
function rowsSeen(list: HTMLUListElement | null): number {
  if (list === null) return 0;
  const { scrollTop, clientHeight, scrollHeight, childElementCount } = list;
  return Math.ceil(((scrollTop + clientHeight) / scrollHeight) * childElementCount);
}

/** The queue, the user's alerts, decided alerts and suppressions. */
function AlertViews({ view }: { readonly view: AlertView }): ReactElement {
  const { t } = useTranslation();
  return (
    <Tabs label={t('alerts.views')}>
      {alertViews.map((one) => (
        <Link
          key={one}
          from="/w/$workspace/alerts"
          search={({ alert: _alert, ...before }) => ({ ...before, view: one })}
          aria-current={one === view ? 'page' : undefined}
          className={tabClass}
        >
          {t(`alerts.view.${one}`)}
        </Link>
      ))}
    </Tabs>
  );
}

interface BulkCloseProps {
  readonly alerts: readonly string[];
  readonly onDone: () => void;
}

/** Gives all selected alerts the same decision: all or none. */
function BulkClose({ alerts, onDone }: BulkCloseProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const close = useDoing('closeAlerts', ['listAlerts', 'readAlertNumbers'], {
    done: ({ closed, openHolds }) => {
      notices.say(t('alerts.closedMany', { count: closed }));
      if (openHolds.length > 0) notices.warn(t('holds.stillHeld', { count: openHolds.length }));
    },
    failed: ({ message }) => notices.warn(message),
  });
  const run = (outcome: 'fraud' | 'legitimate'): void =>
    close.mutate({ params: { workspace }, body: { alerts, outcome } }, { onSuccess: onDone });
  return (
    <div className="flex items-center gap-2 rounded-t-lg border-b border-line bg-fence-wash px-3 py-2 text-sm">
      <span className="grow font-medium">{t('alerts.marked', { count: alerts.length })}</span>
      <Button small look="danger" busy={close.isPending} onClick={() => run('fraud')}>
        {t('alerts.outcome.fraud')}
      </Button>
      <Button small busy={close.isPending} onClick={() => run('legitimate')}>
        {t('alerts.outcome.legitimate')}
      </Button>
    </div>
  );
}

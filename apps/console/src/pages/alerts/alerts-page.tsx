import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { CheckCheck, ChevronsRight, SearchX, Volume2, VolumeX } from 'lucide-react';
import { type ReactElement, type RefObject, useCallback, useEffect, useRef } from 'react';
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
import { chooseSound, useSoundChoice } from '../../shell/alert-sound.ts';
import { AlertFilterBar } from './alert-filters.tsx';
import { AlertNumbers } from './alert-numbers.tsx';
import { AlertRow } from './alert-row.tsx';
import { Bulk } from './bulk.tsx';
import { Suppressions } from './suppressions.tsx';
import { OpenAlert } from './open-alert.tsx';
import { type AlertFilters, alertQueryOf, type AlertView, alertViews, readAlertFilters } from './alerts-search.ts';
import { marksMax, useDelayedAlerts, useMarks } from './use-marks.ts';

const everyMs = 5_000;
/** The queue by risk, next to the open alert. */
export function AlertsPage(): ReactElement {
  const { t } = useTranslation();
  const { view = 'queue', alert: open } = useSearch({ from: '/w/$workspace/alerts' });
  return (
    <Page
      title={t('section.alerts')}
      lead={<AlertNumbers />}
      tools={
        <>
          <SoundChoice />
          <TakeNext />
        </>
      }
    >
      <AlertViews view={view} />
      {view === 'suppressed' ? <Suppressions /> : <Desk view={view} open={open} />}
    </Page>
  );
}

interface DeskProps {
  readonly view: Exclude<AlertView, 'suppressed'>;
  readonly open: string | undefined;
}

function Desk({ view, open }: DeskProps): ReactElement {
  const { t } = useTranslation();
  const filters = readAlertFilters(useSearch({ from: '/w/$workspace/alerts' }));
  return (
    <>
      <div className={open === undefined ? '' : 'print:hidden'}>
        <AlertFilterBar key={view} view={view} />
      </div>
      <div className="grid grid-cols-1 lg:grid-cols-[minmax(0,25rem)_minmax(0,1fr)] items-start gap-4">
        {/* A printed alert contains one client only, not the queue. */}
        <div className={open === undefined ? '' : 'print:hidden'}>
          <AlertList key={`${view} ${JSON.stringify(filters)}`} view={view} filters={filters} />
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
    </>
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

/** Whether a new alert sounds, in this browser. */
function SoundChoice(): ReactElement {
  const { t } = useTranslation();
  const isOn = useSoundChoice();
  const Sign = isOn ? Volume2 : VolumeX;
  return (
    <Button look="quiet" aria-pressed={isOn} title={t('alerts.soundHint')} onClick={() => chooseSound(!isOn)}>
      <Sign aria-hidden className="size-4" />
      {t('alerts.sound')}
    </Button>
  );
}

/** Rows from the end at which keyboard navigation loads the next page. */
const ahead = 10;

interface AlertListProps extends Pick<DeskProps, 'view'> {
  readonly filters: AlertFilters;
}

function AlertList({ view, filters }: AlertListProps): ReactElement {
  const { t } = useTranslation();
  const mayWork = useRight('work');
  const { alert: opened } = useSearch({ from: '/w/$workspace/alerts' });
  const open = useOpenAlert();
  const list = useRef<HTMLUListElement>(null);
  const alerts = useQueue({ view, filters }, () => {
    const worked = items.findLastIndex(({ id }) => id === opened || marks.has(id));
    return Math.max(rowsSeen(list.current), worked + 1);
  });
  const delayed = useDelayedAlerts();
  const items = (alerts.data?.pages.flatMap((page) => page.items) ?? []).filter(({ id }) => !delayed.has(id));
  const { marks, mark, markAll, clear } = useMarks(items);
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
  const markOpened = (isRange: boolean) => () => opened !== undefined && mark(opened, isRange);
  const mayMark = mayWork && view !== 'closed';
  useKeys({
    j: () => go(1),
    k: () => go(-1),
    ...(mayMark ? { x: markOpened(false), X: markOpened(true) } : {}),
  });
  if (alerts.error !== null && items.length === 0)
    return <ProblemNote problem={alerts.error} onRetry={() => void alerts.refetch()} />;
  if (alerts.isPending) return <Loading rows={8} />;
  const chosen = items.filter(({ id }) => marks.has(id));
  return (
    <Panel flush>
      {chosen.length > 0 ? (
        <Bulk alerts={chosen} onDone={clear} />
      ) : mayMark && items.length > 1 ? (
        <div className="border-b border-line px-3 py-1.5 text-right">
          <Button small look="quiet" onClick={markAll}>
            {t('alerts.markAll', { count: Math.min(items.length, marksMax) })}
          </Button>
        </div>
      ) : null}
      {items.length === 0 && alerts.hasNextPage ? (
        <Further of={alerts} />
      ) : items.length === 0 ? (
        <NoAlerts view={view} isFiltered={Object.keys(filters).some((name) => name !== 'sort')} />
      ) : (
        <AlertRows list={list} alerts={items} opened={opened} marked={marks} onMark={mayMark ? mark : undefined} />
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

function NoAlerts({ view, isFiltered }: Pick<DeskProps, 'view'> & { readonly isFiltered: boolean }): ReactElement {
  const { t } = useTranslation();
  return isFiltered ? (
    <Empty sign={SearchX} title={t('alerts.noneFiltered')}>
      {t('alerts.noneFilteredHint')}
    </Empty>
  ) : (
    <Empty sign={CheckCheck} title={t(`alerts.none.${view}`)}>
      {t('alerts.noneHint')}
    </Empty>
  );
}

function useQueue({ view, filters }: AlertListProps, needed: () => number) {
  const params = { workspace: useWorkspaceName() };
  const query = { ...alertQueryOf(view, filters), ...usePersonal() };
  return useFollowedPages('listAlerts', { params, query }, { events: ['alert'], everyMs, needed });
}

interface AlertRowsProps {
  readonly list: RefObject<HTMLUListElement | null>;
  readonly alerts: readonly Alert[];
  readonly opened: string | undefined;
  readonly marked: ReadonlySet<string>;
  readonly onMark: ((id: string, isRange: boolean) => void) | undefined;
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
          search={({ view: _view, alert: _alert, ...before }) => ({ ...before, view: one })}
          aria-current={one === view ? 'page' : undefined}
          className={tabClass}
        >
          {t(`alerts.view.${one}`)}
        </Link>
      ))}
    </Tabs>
  );
}

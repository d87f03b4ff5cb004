import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Hourglass } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHearing } from '../../api/live.ts';
import { usePersonal } from '../../api/personal.ts';
import { listing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { tabClass, Tabs } from '../../parts/tabs.tsx';
import { DecideDialog } from './decide-dialog.tsx';
import { HoldCard } from './hold-card.tsx';
import { holdViews } from './holds-search.ts';
import { isUndecided } from './pending-decision.ts';
import type { HoldDecision } from './use-decide-holds.ts';

/** Polling interval without a stream. */
const everyMs = 3_000;

/** Payments that the bank holds, by their deadline, and those that were decided. */
export function HoldsPage(): ReactElement {
  const { t } = useTranslation();
  const { state = 'open' } = useSearch({ from: '/w/$workspace/holds' });
  return (
    <Page title={t('section.holds')} lead={t('holds.lead')}>
      <Tabs label={t('holds.views')}>
        {holdViews.map((one) => (
          <Link
            key={one}
            from="/w/$workspace/holds"
            search={(before) => ({ ...before, state: one })}
            aria-current={one === state ? 'page' : undefined}
            className={tabClass}
          >
            {t(`holds.${one}`)}
          </Link>
        ))}
      </Tabs>
      <HoldList key={state} state={state} />
    </Page>
  );
}

function HoldList({ state }: { readonly state: (typeof holdViews)[number] }): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName() };
  const query = { state, ...usePersonal() };
  const askEveryMs = useHearing(['hold'], everyMs, () => holds.refetch());
  const holds = useInfiniteQuery({ ...listing('listHolds', { params, query }), refetchInterval: askEveryMs });
  const mayDecide = useRight('decide');
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const items = holds.data?.pages.flatMap((page) => page.items) ?? [];
  if (holds.error !== null && items.length === 0)
    return <ProblemNote problem={holds.error} onRetry={() => void holds.refetch()} />;
  if (holds.isPending) return <Loading rows={8} />;
  const chosen = items.filter((hold) => marked.has(hold.id) && isUndecided(hold)).map(({ id }) => id);
  const mark = (id: string): void =>
    setMarked((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    );
  return (
    <Panel flush>
      {chosen.length === 0 ? null : <ManyTools holds={chosen} onDone={() => setMarked(new Set())} />}
      {items.length === 0 ? (
        <Empty sign={Hourglass} title={t(state === 'open' ? 'holds.none' : 'holds.noneEnded')}>
          {t('holds.noneHint')}
        </Empty>
      ) : (
        <ul className="divide-y divide-line" aria-label={t('section.holds')}>
          {items.map((hold) => (
            <li key={hold.id}>
              <HoldCard hold={hold}>
                {mayDecide && state === 'open' ? (
                  <input
                    type="checkbox"
                    className="mt-1 size-4"
                    aria-label={t('holds.mark', { client: hold.client ?? t('holds.unknownClient') })}
                    disabled={!isUndecided(hold)}
                    checked={marked.has(hold.id) && isUndecided(hold)}
                    onChange={() => mark(hold.id)}
                  />
                ) : null}
              </HoldCard>
            </li>
          ))}
        </ul>
      )}
      {holds.hasNextPage ? (
        <div className="p-2 text-center">
          <Button small look="quiet" busy={holds.isFetchingNextPage} onClick={() => void holds.fetchNextPage()}>
            {t('act.more')}
          </Button>
        </div>
      ) : null}
    </Panel>
  );
}

interface ManyToolsProps {
  readonly holds: readonly string[];
  readonly onDone: () => void;
}

/** Decides about all selected payments. */
function ManyTools({ holds, onDone }: ManyToolsProps): ReactElement {
  const { t } = useTranslation();
  const [asked, setAsked] = useState<HoldDecision>();
  return (
    <div className="flex items-center gap-2 rounded-t-lg border-b border-line bg-fence-wash px-4 py-2 text-sm">
      <span className="grow font-medium">{t('holds.chosen', { count: holds.length })}</span>
      <Button small look="main" onClick={() => setAsked('release')}>
        {t('holds.releaseMany')}
      </Button>
      <Button small look="danger" onClick={() => setAsked('reject')}>
        {t('holds.rejectMany')}
      </Button>
      {asked === undefined ? null : (
        <DecideDialog holds={holds} decision={asked} onDone={onDone} onClose={() => setAsked(undefined)} />
      )}
    </div>
  );
}

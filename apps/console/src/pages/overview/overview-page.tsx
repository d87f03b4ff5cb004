import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { lazy, type ReactElement, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { Overview } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useSpan } from '../../url/use-span.ts';
import { Numbers } from './numbers.tsx';
import { ServiceHealth } from './service-health.tsx';
import { TopList } from './top-list.tsx';
import { Ticker } from './ticker.tsx';
import { TopRules } from './top-rules.tsx';

const Series = lazy(async () => ({ default: (await import('./series.tsx')).Series }));
const Countries = lazy(async () => ({ default: (await import('./countries.tsx')).Countries }));

const everyMs = 10_000;

/** Current activity of the workspace: figures, charts and live events. */
export function OverviewPage(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const span = useSpan();
  const overview = useQuery({
    ...asking('readOverview', { params: { workspace }, query: span }, everyMs),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t('section.overview')} lead={t('overview.lead')}>
      <div className="grid grid-cols-1 lg:grid-cols-[minmax(0,1fr)_24rem] items-start gap-4">
        <Asked of={overview} rows={14}>
          {(found) => <OverviewBody overview={found} />}
        </Asked>
        <Ticker />
      </div>
    </Page>
  );
}

function OverviewBody({ overview }: { readonly overview: Overview }): ReactElement {
  const { t } = useTranslation();
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Numbers overview={overview} />
      <ServiceHealth {...overview} />
      <Panel title={t('overview.series')} hint={t('overview.seriesHint')}>
        <Suspense fallback={<Loading rows={5} />}>
          <Series buckets={overview.buckets} />
        </Suspense>
      </Panel>
      <div className="grid grid-cols-1 items-start md:grid-cols-2 gap-4">
        <div className="flex min-w-0 flex-col gap-4">
          <TopRules live={overview.rules} shadow={overview.shadowRules} />
          <TopList
            title={t('overview.mismatches')}
            items={overview.mismatches.map(({ key, count }) => ({ key: mismatchWord(t, key), count }))}
            none={t('overview.noMismatches')}
          />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title={t('overview.countries')}>
            <Suspense fallback={<Loading rows={5} />}>
              <Countries counts={overview.countries} />
            </Suspense>
          </Panel>
          <TopList title={t('overview.devices')} items={overview.devices} none={t('overview.noDevices')} />
        </div>
      </div>
    </div>
  );
}

const mismatches = ['noLogin', 'otherClient', 'otherChannel', 'closed', 'expired'] as const;

function mismatchWord(t: TFunction, key: string): string {
  const known = mismatches.find((one) => one === key);
  return known === undefined ? key : t(`event.mismatch.${known}`);
}

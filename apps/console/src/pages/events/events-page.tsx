import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ListTree } from 'lucide-react';
import { type ReactElement, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { usePersonal } from '../../api/personal.ts';
import { call } from '../../api/call.ts';
import { listing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RowList } from '../../parts/row-list.tsx';
import { useSpan } from '../../url/use-span.ts';
import { eventColumns } from './event-columns.tsx';
import { EventFilters } from './event-filters.tsx';
import { EventViewMenu } from './event-view-menu.tsx';
import { EventViews } from './event-views.tsx';
import { filtersOf, readEventsSearch } from './events-search.ts';
import { ExportEvents } from './export-events.tsx';
import { FoundEvents } from './found-events.tsx';

/** All events, by filters or by a condition over the history. */
export function EventsPage(): ReactElement {
  const { t } = useTranslation();
  const { by } = useSearch({ from: '/w/$workspace/events' });
  return (
    <Page
      title={t('section.events')}
      lead={t('events.lead')}
      tools={
        <span className="flex flex-wrap items-center gap-2">
          <EventViewMenu />
          <EventViews view={by ?? 'filters'} />
        </span>
      }
    >
      {by === 'condition' ? <FoundEvents /> : <ListedEvents />}
    </Page>
  );
}

/** The most that the service returns in one answer, and exports at once. */
const [pageMax, exportedMax] = [200, 1_000];

function ListedEvents(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const { fired, ...filters } = filtersOf(readEventsSearch(useSearch({ from: '/w/$workspace/events' })));
  const span = useSpan();
  const navigate = useNavigate();
  const query = { ...span, ...usePersonal(), ...filters };
  const list = fired === true ? 'listDecisions' : 'listEvents';
  const events = useInfiniteQuery(listing(list, { params: { workspace }, query }));
  const find = async (): Promise<readonly string[]> => {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = { ...query, limit: pageMax, ...(cursor === undefined ? {} : { cursor }) };
      const { items, next } = await call(list, { params: { workspace }, query: page });
      ids.push(...items.map(({ id }) => id));
      cursor = next;
    } while (cursor !== undefined && ids.length < exportedMax);
    return ids.slice(0, exportedMax);
  };
  const columns = useMemo(() => eventColumns(t, workspace), [t, workspace]);
  return (
    <>
      <EventFilters
        tools={
          <span title={t('events.exportHint', { count: exportedMax })}>
            <ExportEvents find={find} disabled={events.data?.pages[0]?.items.length === 0} />
          </span>
        }
      />
      <Panel flush>
        <RowList
          label={t('section.events')}
          of={events}
          columns={columns}
          keyOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/w/$workspace/events/$event', params: { workspace, event: id } })}
          empty={
            <Empty sign={ListTree} title={t('events.none')}>
              {t('events.noneHint')}
            </Empty>
          }
        />
      </Panel>
    </>
  );
}

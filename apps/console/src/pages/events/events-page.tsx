import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ListTree } from 'lucide-react';
import { type ReactElement, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { usePersonal } from '../../api/personal.ts';
import { listing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RowList } from '../../parts/row-list.tsx';
import { useSpan } from '../../url/use-span.ts';
import { eventColumns } from './event-columns.tsx';
import { EventFilters } from './event-filters.tsx';
import { EventViews } from './event-views.tsx';
import { readEventsSearch } from './events-search.ts';
import { FoundEvents } from './found-events.tsx';

/** All events, by filters or by a condition over the history. */
export function EventsPage(): ReactElement {
  const { t } = useTranslation();
  const { by } = useSearch({ from: '/w/$workspace/events' });
  return (
    <Page title={t('section.events')} lead={t('events.lead')} tools={<EventViews view={by ?? 'filters'} />}>
      {by === 'condition' ? <FoundEvents /> : <ListedEvents />}
    </Page>
  );
}

function ListedEvents(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const {
    fired,
    by: _by,
    condition: _condition,
    ...filters
  } = readEventsSearch(useSearch({ from: '/w/$workspace/events' }));
  const span = useSpan();
  const navigate = useNavigate();
  const query = { ...span, ...usePersonal(), ...filters };
  const events = useInfiniteQuery(
    listing(fired === true ? 'listDecisions' : 'listEvents', { params: { workspace }, query }),
  );
  const columns = useMemo(() => eventColumns(t, workspace), [t, workspace]);
  return (
    <>
      <EventFilters />
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

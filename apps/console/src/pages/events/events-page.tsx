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

/** Everything that was reported, newest first. */
export function EventsPage(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const { kind, status, client, session, reason, fired } = useSearch({ from: '/w/$workspace/events' });
  const span = useSpan();
  const navigate = useNavigate();
  const query = { ...span, ...usePersonal(), kind, status, client, session, reason };
  const events = useInfiniteQuery(
    listing(fired === true ? 'listDecisions' : 'listEvents', { params: { workspace }, query }),
  );
  const columns = useMemo(() => eventColumns(t, workspace), [t, workspace]);
  return (
    <Page title={t('section.events')} lead={t('events.lead')}>
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
    </Page>
  );
}

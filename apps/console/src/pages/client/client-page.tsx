import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { UserRound } from 'lucide-react';
import { type ReactElement, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { listing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RowList } from '../../parts/row-list.tsx';
import { useSpan } from '../../url/use-span.ts';
import { actionColumns } from '../deliveries/action-columns.tsx';
import { useActionName } from '../deliveries/use-action-name.ts';
import { eventColumns } from '../events/event-columns.tsx';
import { ClientTools } from './client-tools.tsx';

const hidden = new Set(['client', 'channel']);

/** All that is known of a client in the chosen time: what was reported, and what the bank was asked to do. */
export function ClientPage(): ReactElement {
  const { t } = useTranslation();
  const { client } = useParams({ from: '/w/$workspace/clients/$client' });
  return (
    <Page title={client} lead={t('client.lead')} tools={<ClientTools client={client} />}>
      <ClientEvents client={client} />
      <ClientActions client={client} />
    </Page>
  );
}

function ClientEvents({ client }: { readonly client: string }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const span = useSpan();
  const navigate = useNavigate();
  const events = useInfiniteQuery(listing('listEvents', { params: { workspace }, query: { ...span, client } }));
  const columns = useMemo(() => eventColumns(t, workspace).filter(({ name }) => !hidden.has(name)), [t, workspace]);
  return (
    <Panel title={t('client.timeline')} flush>
      <RowList
        label={t('client.timeline')}
        of={events}
        columns={columns}
        keyOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/w/$workspace/events/$event', params: { workspace, event: id } })}
        empty={
          <Empty sign={UserRound} title={t('client.none')}>
            {t('client.noneHint')}
          </Empty>
        }
      />
    </Panel>
  );
}

function ClientActions({ client }: { readonly client: string }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const span = useSpan();
  const navigate = useNavigate();
  const actionName = useActionName();
  const actions = useInfiniteQuery(listing('listActions', { params: { workspace }, query: { ...span, client } }));
  const columns = useMemo(
    () => actionColumns(t, workspace, actionName).filter(({ name }) => !hidden.has(name)),
    [t, workspace, actionName],
  );
  return (
    <Panel title={t('event.actions')} flush>
      <RowList
        label={t('event.actions')}
        of={actions}
        columns={columns}
        keyOf={({ id }) => id}
        onOpen={({ id }) =>
          void navigate({ to: '/w/$workspace/deliveries/$action', params: { workspace, action: id } })
        }
        empty={<p className="p-4 text-sm text-soft">{t('event.noActions')}</p>}
      />
    </Panel>
  );
}

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CalendarSearch } from 'lucide-react';
import { lazy, type ReactElement, Suspense, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entity, Event } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking, listing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RowList } from '../../parts/row-list.tsx';
import { tabClass, Tabs } from '../../parts/tabs.tsx';
import { useSpan } from '../../url/use-span.ts';
import { ClientAlerts } from '../client/client-alerts.tsx';
import { ClientNotes } from '../client/client-notes.tsx';
import { ClientTools } from '../client/client-tools.tsx';
import { eventColumns } from '../events/event-columns.tsx';
import { StatusBadge } from '../events/status-badge.tsx';
import { AddToList } from '../lists/add-to-list.tsx';
import { entityKinds } from './entity-kinds.ts';
import { EventOutcome } from './event-outcome.tsx';
import { Linked } from './linked.tsx';
import { type EntityTab, entityTabs } from './entity-search.ts';

const Habits = lazy(async () => ({ default: (await import('./habits.tsx')).Habits }));
const LinkGraph = lazy(async () => ({ default: (await import('./link-graph.tsx')).LinkGraph }));

/** A client, session, device, address, account, payee or reference: its timeline, habits and linked entities. */
export function EntityPage(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const personal = usePersonal();
  const params = useParams({ from: '/w/$workspace/about/$kind/$ref' });
  const kind = entityKinds.find((one) => one === params.kind) ?? 'client';
  const { tab = 'timeline' } = useSearch({ from: '/w/$workspace/about/$kind/$ref' });
  const entity = useQuery(asking('readEntity', { params: { workspace, kind, ref: params.ref }, query: personal }));
  const about = `${kind}:${params.ref}`;
  return (
    <Page
      title={entity.data?.value ?? t(`entity.kind.${kind}`)}
      lead={<EntityLead kind={kind} entity={entity.data} />}
      tools={
        personal.show === true && entity.data?.value !== undefined ? (
          <>
            <AddToList kind={kind} value={entity.data.value} />
            {kind === 'client' ? (
              <ClientTools client={entity.data.value} isBlocked={entity.data.blockedUntil !== undefined} />
            ) : null}
          </>
        ) : null
      }
    >
      <EntityTabs tab={tab} />
      <div className="grid grid-cols-1 lg:grid-cols-[minmax(0,1fr)_17rem] 2xl:grid-cols-[minmax(0,1fr)_20rem] items-start gap-4">
        <Suspense fallback={<Loading rows={10} />}>
          {tab === 'timeline' ? <Timeline about={about} kind={kind} /> : null}
          {tab === 'habits' ? <Habits about={about} kind={kind} of={params.ref} /> : null}
          {tab === 'graph' ? <LinkGraph kind={kind} of={params.ref} /> : null}
        </Suspense>
        <Asked of={entity} rows={6}>
          {({ links }) => (
            <div className="flex flex-col gap-4">
              {kind === 'client' ? <ClientAlerts client={params.ref} /> : null}
              {kind === 'client' ? <ClientNotes client={params.ref} /> : null}
              <Linked links={links} />
            </div>
          )}
        </Asked>
      </div>
    </Page>
  );
}

function EntityLead({
  kind,
  entity,
}: {
  readonly kind: Entity['kind'];
  readonly entity: Entity | undefined;
}): ReactElement {
  const { t } = useTranslation();
  if (entity === undefined) return <>{t(`entity.kind.${kind}`)}</>;
  return (
    <>
      {entity.blockedUntil === undefined ? null : <BlockedBadge until={entity.blockedUntil} />}
      {t(`entity.kind.${kind}`)} · {t('entity.events', { count: entity.events })} · {t('entity.first')}{' '}
      <Instant at={entity.firstAt} as="day" /> · {t('entity.last')} <Instant at={entity.lastAt} as="ago" />
    </>
  );
}

const leftOut: ReadonlySet<string> = new Set(['channel', 'status', 'payee', 'country']);
/** The list is narrower next to the linked entities. */
const narrowWidths: Readonly<Record<string, string>> = {
  at: '10.75rem',
  kind: '6.5rem',
  client: 'minmax(5rem,1fr)',
  session: 'minmax(6rem,1fr)',
  amount: '9.5rem',
  rules: 'minmax(4rem,1fr)',
};

function Timeline({ about, kind }: { readonly about: string; readonly kind: Entity['kind'] }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const span = useSpan();
  const personal = usePersonal();
  const navigate = useNavigate();
  const events = useInfiniteQuery(
    listing('listEvents', { params: { workspace }, query: { ...span, ...personal, about } }),
  );
  // The heading names the entity, and the outcome says more than the status.
  const columns = useMemo(
    () => [
      ...eventColumns(t, workspace)
        .filter(({ name }) => name !== kind && !leftOut.has(name))
        .map((column) => ({ ...column, width: narrowWidths[column.name] ?? column.width })),
      {
        name: 'outcome',
        title: t('entity.outcome'),
        width: 'minmax(7rem,1.8fr)',
        cell: (event: Event) =>
          event.status === 'decided' ? <EventOutcome event={event} /> : <StatusBadge status={event.status} />,
      },
    ],
    [t, workspace, kind],
  );
  return (
    <Panel flush>
      <RowList
        label={t('entity.timeline')}
        of={events}
        columns={columns}
        keyOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/w/$workspace/events/$event', params: { workspace, event: id } })}
        empty={
          <Empty sign={CalendarSearch} title={t('entity.none')}>
            {t('entity.noneHint')}
          </Empty>
        }
      />
    </Panel>
  );
}

/** Views of an entity; the address stores the current one. */
function EntityTabs({ tab }: { readonly tab: EntityTab }): ReactElement {
  const { t } = useTranslation();
  return (
    <Tabs label={t('entity.views')}>
      {entityTabs.map((one) => (
        <Link
          key={one}
          from="/w/$workspace/about/$kind/$ref"
          search={(before) => ({ ...before, tab: one })}
          aria-current={one === tab ? 'page' : undefined}
          className={tabClass}
        >
          {t(`entity.tab.${one}`)}
        </Link>
      ))}
    </Tabs>
  );
}

function BlockedBadge({ until }: { readonly until: string }): ReactElement {
  const { t } = useTranslation();
  return (
    <span className="mr-2">
      <Badge tone="bad">
        {t('client.blockedUntil')} <Instant at={until} />
      </Badge>
    </span>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { FlaskConical, ShieldCheck } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { EventDetail } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ChannelName } from '../../parts/channel-name.tsx';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { HoldOfEvent } from '../holds/held-payments.tsx';
import { KindSign } from '../events/kind-sign.tsx';
import { StatusBadge } from '../events/status-badge.tsx';
import { Derived } from './derived.tsx';
import { EventActions } from './event-actions.tsx';
import { EventLabel } from './event-label.tsx';
import { EventOutcomes } from './event-outcomes.tsx';
import { FiredRule } from './fired-rule.tsx';
import { Received } from './received.tsx';
import { useMarked } from './use-marked.ts';
import { WhatIf } from './what-if.tsx';
import { WhyModel } from './why-model.tsx';
import { WhyNot } from './why-not.tsx';

/** Polling interval while the event is undecided or its actions are in progress. */
const everyMs = 2_000;

/** One event: its body, its derived data, the rules that fired, its actions and their responses. */
export function EventPage(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const { event: id } = useParams({ from: '/w/$workspace/events/$event' });
  const asked = asking('readEvent', { params: { workspace, event: id }, query: usePersonal() });
  const event = useQuery({
    ...asked,
    refetchInterval: ({ state }) => (isOpen(state.data) ? everyMs : false),
    // Keep edits while personal data is shown or masked.
    placeholderData: (before: EventDetail | undefined) => (before?.id === id ? before : undefined),
  });
  return (
    <Page
      tools={
        event.data === undefined ? null : (
          <>
            <SupposeSwitch />
            <EventLabel event={id} />
          </>
        )
      }
      title={t('event.title')}
      lead={
        <span className="inline-flex items-center gap-1 font-mono text-xs">
          {id} <CopyButton text={id} />
        </span>
      }
    >
      <Asked of={event} rows={12}>
        {(found) => <EventBody event={found} />}
      </Asked>
    </Page>
  );
}

function isOpen(event: EventDetail | undefined): boolean {
  const isMoving = event?.actions.some(({ state }) => state === 'due' || state === 'leased' || state === 'waiting');
  return event?.status === 'accepted' || event?.status === 'waiting' || isMoving === true;
}

/** Switches to the simulation and back. */
function SupposeSwitch(): ReactElement {
  const { t } = useTranslation();
  const { suppose } = useSearch({ from: '/w/$workspace/events/$event' });
  return (
    <Link
      from="/w/$workspace/events/$event"
      search={({ suppose: _suppose, ...before }) => (suppose === true ? before : { ...before, suppose: true })}
      className={buttonClass(suppose === true ? 'main' : 'plain')}
      aria-current={suppose === true ? 'page' : undefined}
    >
      <FlaskConical aria-hidden className="size-4" />
      {t('whatIf.title')}
    </Link>
  );
}

function EventBody({ event }: { readonly event: EventDetail }): ReactElement {
  const { suppose } = useSearch({ from: '/w/$workspace/events/$event' });
  return (
    <>
      <Panel>
        <EventHead event={event} />
      </Panel>
      <HoldOfEvent event={event} />
      {suppose === true && event.received !== undefined ? <WhatIf event={event} /> : <EventParts event={event} />}
    </>
  );
}

function EventParts({ event }: { readonly event: EventDetail }): ReactElement {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<number>();
  const rules = event.rules.filter(({ reason }) => chosen === undefined || reason === chosen);
  const marked = useMarked(event, rules);
  return (
    <div className="grid grid-cols-1 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)] items-start gap-4">
      <div className="flex flex-col gap-4">
        <Panel
          title={t('event.why')}
          hint={event.policyVersion === undefined ? undefined : t('event.byVersion', { version: event.policyVersion })}
        >
          {event.rules.length === 0 ? (
            <Empty sign={ShieldCheck} title={t('event.nothingFired')}>
              {event.missing.length === 0 ? null : t('event.missingRules', { rules: event.missing.join(', ') })}
            </Empty>
          ) : (
            <div className="flex flex-col gap-3">
              {event.rules.map((rule) => (
                <FiredRule
                  key={rule.reason}
                  rule={rule}
                  version={event.policyVersion}
                  chosen={chosen === rule.reason}
                  onChoose={() => setChosen(chosen === rule.reason ? undefined : rule.reason)}
                />
              ))}
            </div>
          )}
        </Panel>
        {event.status === 'decided' && event.policyVersion !== undefined ? (
          <WhyModel event={event} version={event.policyVersion} />
        ) : null}
        {event.status === 'decided' && event.received !== undefined ? <WhyNot event={event} /> : null}
        <EventActions event={event} />
        {event.outcomes.length === 0 ? null : <EventOutcomes outcomes={event.outcomes} />}
      </div>
      <div className="flex flex-col gap-4">
        <Panel title={t('event.received')} hint={marked.size === 0 ? undefined : t('event.marked')}>
          {event.received === undefined ? (
            <p className="text-sm text-soft">{t('event.unreadable')}</p>
          ) : (
            <Received value={event.received} marked={marked} />
          )}
        </Panel>
        <Derived event={event} marked={marked} />
      </div>
    </div>
  );
}

function EventHead({ event }: { readonly event: EventDetail }): ReactElement {
  const { t } = useTranslation();
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] justify-between gap-x-6 gap-y-2 pt-2 text-sm lg:grid-cols-[repeat(7,auto)]">
      <Head name={t('event.what')}>
        <KindSign kind={event.kind} />
      </Head>
      <Head name={t('event.state')}>
        <span className="inline-flex gap-1">
          <StatusBadge status={event.status} />
          {event.mismatch === undefined ? null : <Badge tone="warn">{t(`event.mismatch.${event.mismatch}`)}</Badge>}
        </span>
      </Head>
      <Head name={t('event.client')}>
        <EntityLink kind="client" name={event.client} of={event.clientRef} erased={event.erased === true} />
      </Head>
      <Head name={t('event.session')}>
        <span className="line-clamp-2" title={event.session}>
          <EntityLink kind="session" name={event.session} of={event.sessionRef} mono />
        </span>
      </Head>
      <Head name={t('event.ownTime')}>{event.eventAt === undefined ? '–' : <Instant at={event.eventAt} />}</Head>
      <Head name={t('event.at')}>
        <Instant at={event.loggedAt} />
      </Head>
      <Head name={t('event.channel')}>
        <ChannelName id={event.channelId} />
      </Head>
    </dl>
  );
}

function Head({ name, children }: { readonly name: string; readonly children: React.ReactNode }): ReactElement {
  return (
    <div>
      <dt className="eyebrow">{name}</dt>
      <dd className="mt-0.5">{children}</dd>
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail, AlertFacts, KnownAlertFacts } from '../../api/operations.generated.ts';
import { useHearing } from '../../api/live.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Amount } from '../../parts/amount.tsx';
import { Asked } from '../../parts/asked.tsx';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { EventLine } from '../events/event-line.tsx';
import { HeldPayments, useHeldOf } from '../holds/held-payments.tsx';
import { AlertTools } from './alert-tools.tsx';
import { Around } from './around.tsx';
import { Comments } from './comments.tsx';
import { FactsTable } from './facts-table.tsx';
import { ModelSays } from './model-says.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { Risk } from './risk.tsx';
import { WhatHappened } from './what-happened.tsx';
import { Why } from './why.tsx';

const everyMs = 10_000;

/** One alert with everything needed to decide it on one page: the first screen has the facts. */
export function OpenAlert({ id }: { readonly id: string }): ReactElement {
  const workspace = useWorkspaceName();
  const asked = { params: { workspace, alert: id }, query: usePersonal() };
  const askEveryMs = useHearing(['alert'], everyMs, () => alert.refetch());
  const alert = useQuery({
    ...asking('readAlert', asked),
    refetchInterval: askEveryMs,
    // Keep drafts while personal data is shown or masked.
    placeholderData: (before: AlertDetail | undefined) => (before?.id === id ? before : undefined),
  });
  // Whether the client is already blocked is known once the bank has responded.
  const askFactsEveryMs = useHearing(['alert', 'action'], everyMs, () => facts.refetch());
  const facts = useQuery({
    ...asking('readAlertFacts', asked),
    refetchInterval: askFactsEveryMs,
    placeholderData: (before: KnownAlertFacts | undefined) => before,
  });
  const held = useHeldOf(alert.data?.clientRef);
  return (
    <Asked of={alert} rows={10}>
      {(found) => (
        <div className="flex flex-col gap-3">
          <Panel>
            <AlertHead alert={found} facts={facts.data?.facts} />
            {/* A decision about an alert asks about its held payments, too. */}
            {held === undefined ? null : <AlertTools alert={found} held={held} />}
          </Panel>
          <HeldPayments holds={held ?? []} />
          <Asked of={facts} rows={8}>
            {({ facts: known }) =>
              known === undefined ? null : (
                <>
                  <FactsTable facts={known} />
                  <Around facts={known} />
                  <Why key={known.event} event={known.event} />
                </>
              )
            }
          </Asked>
          <div className="grid grid-cols-1 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] items-start gap-3">
            <AlertEvents events={found.events} />
            <Comments alert={found} />
          </div>
        </div>
      )}
    </Asked>
  );
}

interface AlertHeadProps {
  readonly alert: AlertDetail;
  readonly facts: AlertFacts | undefined;
}

function AlertHead({ alert, facts }: AlertHeadProps): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <WhatHappened alert={alert} facts={facts} />
      <ModelSays models={facts?.models ?? []} />
      <div className="flex flex-wrap items-center gap-x-5 gap-y-1 pt-1 text-sm">
        <Risk value={alert.risk} />
        <span className="text-base">
          <EntityLink kind="client" name={alert.client} of={alert.clientRef} />
        </span>
        <Amount digits={alert.amount} currency={alert.currency} />
        <span className="text-soft">{t('alerts.decisions', { count: alert.decisions })}</span>
        <span className="text-soft">
          {t('alerts.since')} <Instant at={alert.openedAt} />
        </span>
        <span className="ml-auto flex items-center gap-2">
          {alert.claimedBy === undefined ? null : (
            <span className="text-xs text-soft">{t('alerts.claimedBy', { name: alert.claimedBy })}</span>
          )}
          {alert.outcome === undefined ? null : <OutcomeBadge outcome={alert.outcome} />}
        </span>
      </div>
    </>
  );
}

function AlertEvents({ events }: Pick<AlertDetail, 'events'>): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const isDated = new Set(events.map(({ loggedAt }) => formats.day(loggedAt))).size > 1;
  return (
    <Panel title={t('alerts.events')} flush>
      <ul className="pb-2 text-sm">
        {events.map((event) => (
          <li key={event.id}>
            <EventLine event={event} isDated={isDated}>
              <Amount digits={event.amount} currency={event.currency} />
            </EventLine>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

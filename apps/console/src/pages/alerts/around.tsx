import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertFacts } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Badge } from '../../parts/badge.tsx';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Instant } from '../../parts/instant.tsx';
import { EventOutcome } from '../entity/event-outcome.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { useFraudTypeName } from './use-fraud-types.ts';

interface AroundProps {
  readonly facts: AlertFacts;
}

/** What surrounds the event: the bank, other clients, and earlier alerts of this one. */
export function Around({ facts }: AroundProps): ReactElement {
  return (
    <section className="grid grid-cols-1 divide-line rounded-lg border border-line bg-card text-sm max-md:divide-y md:grid-cols-3 md:divide-x">
      <Bank facts={facts} />
      <LinkedClients facts={facts} />
      <EarlierAlerts facts={facts} />
    </section>
  );
}

function Part({
  title,
  hint,
  children,
}: {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="min-w-0 px-4 pt-2.5 pb-3">
      <h2 className="mb-1 text-sm font-semibold">
        {title}
        {hint === undefined ? null : <span className="ml-2 text-xs font-normal text-soft">{hint}</span>}
      </h2>
      {children}
    </div>
  );
}

function Nothing({ children }: { readonly children: string }): ReactElement {
  return <p className="text-soft">{children}</p>;
}

/** Requested actions shown; the page of the event has all of them. */
const actionsMax = 4;

/** What the bank was asked, did and reported. */
function Bank({ facts: { actions, outcomes } }: AroundProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const typeName = useFraudTypeName();
  return (
    <Part title={t('event.actions')}>
      {actions.length === 0 ? (
        <Nothing>{t('alerts.noActions')}</Nothing>
      ) : (
        <ul className="flex flex-col gap-1">
          {actions.slice(0, actionsMax).map((action) => (
            <li key={action.id} className="flex min-h-[26px] items-center">
              <EventOutcome event={{ actions: [action] }} />
            </li>
          ))}
        </ul>
      )}
      {outcomes.length === 0 ? (
        <p className="mt-1 text-xs text-soft">{t('alerts.noOutcomes')}</p>
      ) : (
        <ul aria-label={t('event.outcomes')} className="mt-1 flex flex-col gap-0.5">
          {outcomes.slice(0, 3).map(({ outcome, type, loss, currency, author, reportedAt }) => (
            <li key={`${reportedAt}${outcome}`} className="flex flex-wrap items-center gap-x-2">
              <span className="font-medium">{t(`event.outcome.${outcome}`)}</span>
              <span className="text-xs text-soft">
                {[
                  type === undefined ? undefined : typeName(type),
                  loss === undefined ? undefined : formats.amount(loss, currency),
                  author,
                ]
                  .filter((one) => one !== undefined)
                  .join(' · ')}{' '}
                · <Instant at={reportedAt} as="ago" />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

const linkedShown = 4;

function LinkedClients({ facts: { linked } }: AroundProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Part title={t('alerts.linked')}>
      {linked.length === 0 ? <Nothing>{t('alerts.noLinked')}</Nothing> : null}
      <ul className="flex flex-col gap-1">
        {linked.slice(0, linkedShown).map(({ clientRef, client, shares, alert }) => (
          <li key={clientRef} className="flex min-h-[26px] flex-wrap items-center gap-x-2">
            <EntityLink kind="client" name={client ?? clientRef} of={clientRef} />
            <span className="text-xs text-soft">{shares.map((kind) => t(`alerts.shares.${kind}`)).join(', ')}</span>
            {alert === undefined ? null : <AlertLink alert={alert} />}
          </li>
        ))}
      </ul>
    </Part>
  );
}

const earlierShown = 3;

function EarlierAlerts({ facts: { earlier, earlierCounts } }: AroundProps): ReactElement {
  const { t } = useTranslation();
  const total = Object.values(earlierCounts).reduce((sum, count) => sum + count, 0);
  return (
    <Part title={t('alerts.earlier')} {...(total > earlierShown ? { hint: String(total) } : {})}>
      {earlier.length === 0 ? <Nothing>{t('alerts.noEarlier')}</Nothing> : null}
      <ul className="flex flex-col gap-1">
        {earlier.slice(0, earlierShown).map((alert) => (
          <li key={alert.id} className="flex min-h-[26px] flex-wrap items-center gap-x-2">
            <AlertLink alert={alert} />
            <span className="truncate text-xs text-soft">
              {alert.reasons.join(', ')} · <Instant at={alert.openedAt} as="day" />
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

type Linkable = Pick<AlertFacts['earlier'][number], 'id' | 'state' | 'outcome'>;

/** The outcome of another alert, linked to it. */
function AlertLink({ alert: { id, state, outcome } }: { readonly alert: Linkable }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  return (
    <Link
      to="/w/$workspace/alerts"
      params={{ workspace }}
      search={{ view: state === 'open' ? 'queue' : 'closed', alert: id }}
      className="inline-flex min-h-[26px] items-center rounded hover:underline"
    >
      {outcome === undefined ? <Badge tone="warn">{t('clientAlerts.open')}</Badge> : <OutcomeBadge outcome={outcome} />}
    </Link>
  );
}

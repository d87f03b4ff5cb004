import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import type { Event } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';
import { Amount } from '../../parts/amount.tsx';
import { Country } from '../../parts/country.tsx';
import { ChannelName } from '../../parts/channel-name.tsx';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Instant } from '../../parts/instant.tsx';
import type { Column } from '../../parts/row-list.tsx';
import { FiredRules } from './fired-rules.tsx';
import { KindSign } from './kind-sign.tsx';
import { StatusBadge } from './status-badge.tsx';

/** Columns of the list of events. */
export function eventColumns(t: TFunction, workspace: string): readonly Column<Event>[] {
  return [
    {
      name: 'at',
      title: t('event.at'),
      width: '10.75rem',
      cell: ({ id, loggedAt }) => (
        <Link
          to="/w/$workspace/events/$event"
          params={{ workspace, event: id }}
          className="hover:text-fence hover:underline"
        >
          <Instant at={loggedAt} />
        </Link>
      ),
    },
    { name: 'kind', title: t('event.what'), width: '6.25rem', cell: ({ kind }) => <KindSign kind={kind} /> },
    ...namedColumns(t),
    {
      name: 'amount',
      title: t('event.amount'),
      width: 'minmax(7rem,10rem)',
      right: true,
      // Long amounts wrap: cut off, they would look smaller.
      cell: ({ amount, currency }) => (
        <span className="block leading-4 wrap-anywhere whitespace-normal">
          <Amount digits={amount} currency={currency} />
        </span>
      ),
    },
    { name: 'rules', title: t('event.rules'), width: 'minmax(6rem,1.2fr)', cell: (event) => <FiredRules {...event} /> },
    {
      name: 'status',
      isWide: 'most',
      title: t('event.state'),
      width: '6rem',
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    {
      name: 'channel',
      isWide: 'most',
      title: t('event.channel'),
      width: '6rem',
      cell: ({ channelId }) => <ChannelName id={channelId} />,
    },
  ];
}

/** What the event names. */
function namedColumns(t: TFunction): readonly Column<Event>[] {
  return [
    {
      name: 'client',
      title: t('event.client'),
      width: 'minmax(6.5rem,1fr)',
      cell: ({ client, clientRef, erased }) => (
        <EntityLink kind="client" name={client} of={clientRef} erased={erased === true} />
      ),
    },
    {
      name: 'session',
      isWide: true,
      title: t('event.session'),
      width: 'minmax(6.5rem,1fr)',
      cell: ({ session, sessionRef, mismatch }) => (
        <span className="flex items-center gap-2">
          <span className="min-w-0 truncate">
            <EntityLink kind="session" name={session} of={sessionRef} mono />
          </span>
          {mismatch === undefined ? null : <Badge tone="warn">{t(`event.mismatch.${mismatch}`)}</Badge>}
        </span>
      ),
    },
    {
      name: 'payee',
      isWide: true,
      title: t('event.payee'),
      width: 'minmax(6.5rem,1fr)',
      cell: ({ payee, payeeRef, payeeBank }) => <EntityLink kind="payee" name={payee ?? payeeBank} of={payeeRef} />,
    },
    {
      name: 'country',
      isWide: true,
      title: t('event.country'),
      width: '4rem',
      cell: ({ country }) => <Country code={country} />,
    },
  ];
}

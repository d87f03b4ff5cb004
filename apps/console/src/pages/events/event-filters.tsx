import { useNavigate, useSearch } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useWorkspace } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/field.tsx';
import { TypedFilter } from '../../parts/typed-filter.tsx';
import { readTimeRange } from '../../url/time-range.ts';
import { type EventsSearch, kinds, readEventsSearch, statuses } from './events-search.ts';

/** Filters of the list. Every choice is stored in the address. */
export function EventFilters({ tools }: { readonly tools: ReactNode }): ReactElement {
  const { t } = useTranslation();
  const search = useSearch({ from: '/w/$workspace/events' });
  const navigate = useNavigate({ from: '/w/$workspace/events' });
  const narrow = (change: Readonly<Record<string, unknown>>): void =>
    void navigate({
      search: (before) => ({ ...readTimeRange(before), ...readEventsSearch({ ...before, ...change }) }),
    });
  const isNarrow = Object.keys(readEventsSearch(search)).length > 0;
  return (
    <div className="flex flex-wrap items-center gap-2" role="search" aria-label={t('events.filters')}>
      <Choice
        bare
        label={t('event.what')}
        className="w-40"
        value={search.kind ?? ''}
        onChange={(event) => narrow({ kind: event.target.value })}
        options={[
          { value: '', label: t('events.anyKind') },
          ...kinds.map((kind) => ({ value: kind, label: t(`event.kind.${kind}`) })),
        ]}
      />
      <Choice
        bare
        label={t('event.state')}
        className="w-40"
        value={search.status ?? ''}
        onChange={(event) => narrow({ status: event.target.value })}
        options={[
          { value: '', label: t('events.anyState') },
          ...statuses.map((status) => ({ value: status, label: t(`event.status.${status}`) })),
        ]}
      />
      <TypedFilter label={t('event.client')} value={search.client ?? ''} onChange={(client) => narrow({ client })} />
      <TypedFilter
        label={t('event.session')}
        value={search.session ?? ''}
        onChange={(session) => narrow({ session })}
      />
      <TypedFilter
        label={t('events.rule')}
        value={String(search.reason ?? '')}
        onChange={(reason) => narrow({ reason })}
      />
      {search.policyVersion === undefined ? null : (
        <TypedFilter
          label={t('events.policyVersion')}
          value={String(search.policyVersion)}
          onChange={(policyVersion) => narrow({ policyVersion })}
        />
      )}
      <OrderFilters search={search} narrow={narrow} />
      {isNarrow ? (
        <Button look="quiet" small onClick={() => void navigate({ search: readTimeRange })}>
          <X aria-hidden className="size-3.5" />
          {t('events.all')}
        </Button>
      ) : null}
      <span className="ml-auto">{tools}</span>
    </div>
  );
}

interface OrderFiltersProps {
  readonly search: EventsSearch;
  readonly narrow: (change: Readonly<Record<string, unknown>>) => void;
}

/** Channel, amount, payee, country, and whether a rule fired. */
function OrderFilters({ search, narrow }: OrderFiltersProps): ReactElement {
  const { t } = useTranslation();
  const channels = useWorkspace()?.channels ?? [];
  return (
    <>
      <Choice
        bare
        label={t('event.channel')}
        className="w-40"
        value={search.channel ?? ''}
        onChange={(event) => narrow({ channel: event.target.value })}
        options={[
          { value: '', label: t('events.anyChannel') },
          ...channels.map(({ id, name }) => ({ value: String(id), label: `${id} ${name}` })),
        ]}
      />
      <TypedFilter
        label={t('events.amountMin')}
        className="w-32"
        value={search.amountMin ?? ''}
        onChange={(amountMin) => narrow({ amountMin })}
      />
      <TypedFilter
        label={t('events.amountMax')}
        className="w-32"
        value={search.amountMax ?? ''}
        onChange={(amountMax) => narrow({ amountMax })}
      />
      <TypedFilter
        label={t('events.currency')}
        className="w-24"
        value={search.currency ?? ''}
        onChange={(currency) => narrow({ currency: currency.toUpperCase() })}
      />
      <TypedFilter label={t('event.payee')} value={search.payee ?? ''} onChange={(payee) => narrow({ payee })} />
      <TypedFilter
        label={t('events.payeeBank')}
        className="w-32"
        value={search.payeeBank ?? ''}
        onChange={(payeeBank) => narrow({ payeeBank })}
      />
      <TypedFilter
        label={t('event.country')}
        className="w-24"
        value={search.country ?? ''}
        onChange={(country) => narrow({ country })}
      />
      <label className="flex h-8 items-center gap-2 px-1 text-sm">
        <input
          type="checkbox"
          className="size-4 accent-fence"
          checked={search.fired === true}
          onChange={(event) => narrow({ fired: event.target.checked ? true : undefined })}
        />
        {t('events.onlyFired')}
      </label>
    </>
  );
}

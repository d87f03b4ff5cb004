import { useNavigate, useSearch } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/field.tsx';
import { TypedFilter } from '../../parts/typed-filter.tsx';
import { readTimeRange } from '../../url/time-range.ts';
import { actionStates, readActionsSearch } from './actions-search.ts';

/** Filters of the list of actions. Every choice is stored in the address. */
export function ActionFilters(): ReactElement {
  const { t } = useTranslation();
  const search = useSearch({ from: '/w/$workspace/deliveries' });
  const navigate = useNavigate({ from: '/w/$workspace/deliveries' });
  const narrow = (change: Readonly<Record<string, unknown>>): void =>
    void navigate({
      search: (before) => ({ ...readTimeRange(before), ...readActionsSearch({ ...before, ...change }) }),
    });
  const isNarrow = Object.keys(readActionsSearch(search)).length > 0;
  return (
    <div className="flex flex-wrap items-center gap-2" role="search" aria-label={t('deliveries.filters')}>
      <Choice
        bare
        label={t('event.state')}
        className="w-48"
        value={search.state ?? ''}
        onChange={(event) => narrow({ state: event.target.value })}
        options={[
          { value: '', label: t('events.anyState') },
          ...actionStates.map((one) => ({ value: one, label: t(`action.state.${one}`) })),
        ]}
      />
      <TypedFilter label={t('event.client')} value={search.client ?? ''} onChange={(client) => narrow({ client })} />
      <TypedFilter
        label={t('events.rule')}
        value={String(search.reason ?? '')}
        onChange={(reason) => narrow({ reason })}
      />
      {isNarrow ? (
        <Button look="quiet" small onClick={() => void navigate({ search: readTimeRange })}>
          <X aria-hidden className="size-3.5" />
          {t('deliveries.all')}
        </Button>
      ) : null}
    </div>
  );
}

import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SavedViews } from '../../parts/saved-views.tsx';
import { readTimeRange } from '../../url/time-range.ts';
import { filtersOf, readEventsSearch } from './events-search.ts';

/** Searches of events: their filters, or their condition. */
export function EventViewMenu(): ReactElement {
  const { t } = useTranslation();
  const search = readEventsSearch(useSearch({ from: '/w/$workspace/events' }));
  const navigate = useNavigate({ from: '/w/$workspace/events' });
  const { client, session, payee, ...filters } = filtersOf(search);
  const isNaming = client !== undefined || session !== undefined || payee !== undefined;
  const { by, condition } = search;
  const shown = by === 'condition' ? (condition === undefined ? {} : { condition }) : filters;
  return (
    <SavedViews
      list="events"
      shown={shown}
      refusal={by !== 'condition' && isNaming ? t('events.viewNamesClient') : undefined}
      onApply={(stored) =>
        void navigate({
          search: (before) => ({
            ...readTimeRange(before),
            ...readEventsSearch({ ...stored, ...('condition' in stored ? { by: 'condition' } : {}) }),
          }),
        })
      }
    />
  );
}

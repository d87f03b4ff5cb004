import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { readTimeRange } from '../../url/time-range.ts';
import { defined } from '../../url/search-members.ts';
import { filtersOf, readEventsSearch } from './events-search.ts';
import { filtersAsCondition } from './filters-as-condition.ts';

const look =
  'rounded-md px-2.5 py-1 text-sm font-medium text-soft hover:text-ink aria-[current=page]:bg-card aria-[current=page]:text-ink';

/** Links between the views of events. */
export function EventViews({ view }: { readonly view: 'filters' | 'condition' | 'outcomes' }): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName() };
  const currently = (one: typeof view) => ({ 'aria-current': one === view ? ('page' as const) : undefined });
  return (
    <nav aria-label={t('find.views')} className="flex flex-wrap gap-1 rounded-lg bg-sunken p-1">
      <Link
        to="/w/$workspace/events"
        params={params}
        search={(before) => {
          return { ...readTimeRange(before), ...filtersOf(readEventsSearch(view === 'outcomes' ? {} : before)) };
        }}
        activeOptions={{ exact: true }}
        {...currently('filters')}
        className={look}
      >
        {t('find.byFilters')}
      </Link>
      <Link
        to="/w/$workspace/events"
        params={params}
        search={(before) => {
          const search = readEventsSearch(view === 'outcomes' ? {} : before);
          const condition = search.condition ?? filtersAsCondition(search).condition;
          return {
            ...readTimeRange(before),
            ...search,
            by: 'condition' as const,
            ...defined({ condition: condition || undefined }),
          };
        }}
        {...currently('condition')}
        className={look}
      >
        {t('find.byCondition')}
      </Link>
      <Link
        to="/w/$workspace/events/outcomes"
        params={params}
        search={readTimeRange}
        {...currently('outcomes')}
        className={look}
      >
        {t('outcomes.title')}
      </Link>
    </nav>
  );
}

import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsPersonalShown } from '../../api/personal.ts';
import { TypedFilter } from '../../parts/typed-filter.tsx';
import { tabClass } from '../../parts/tabs.tsx';
import { itemStates } from './list-search.ts';

/** Filters items by present or ended, and by a search text. */
export function ListFilters(): ReactElement {
  const { t } = useTranslation();
  const { state = 'present', text = '' } = useSearch({ from: '/w/$workspace/lists/$list' });
  const navigate = useNavigate({ from: '/w/$workspace/lists/$list' });
  const isShown = useIsPersonalShown();
  return (
    <div className="flex flex-wrap items-end gap-x-4 border-b border-line">
      <nav aria-label={t('lists.views')} className="flex gap-1">
        {itemStates.map((one) => (
          <Link
            key={one}
            from="/w/$workspace/lists/$list"
            search={(before) => ({ ...before, state: one })}
            aria-current={one === state ? 'page' : undefined}
            className={tabClass}
          >
            {t(`lists.view.${one}`)}
          </Link>
        ))}
      </nav>
      <span className="ml-auto pb-1.5">
        <TypedFilter
          label={t(isShown ? 'lists.search' : 'lists.searchMasked')}
          value={text}
          onChange={(wanted) =>
            void navigate({
              search: ({ text: _before, ...rest }) => (wanted === '' ? rest : { ...rest, text: wanted }),
            })
          }
          className="w-64 max-w-full"
        />
      </span>
    </div>
  );
}

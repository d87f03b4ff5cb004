import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { type EntityTab, entityTabs } from './entity-search.ts';

/** Views of an entity; the address stores the current one. */
export function EntityTabs({ tab }: { readonly tab: EntityTab }): ReactElement {
  const { t } = useTranslation();
  return (
    <nav aria-label={t('entity.views')} className="flex flex-wrap gap-1 border-b border-line">
      {entityTabs.map((one) => (
        <Link
          key={one}
          from="/w/$workspace/about/$kind/$ref"
          search={(before) => ({ ...before, tab: one })}
          aria-current={one === tab ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent px-3 py-2 text-sm font-medium text-soft hover:text-ink aria-[current=page]:border-fence aria-[current=page]:text-ink"
        >
          {t(`entity.tab.${one}`)}
        </Link>
      ))}
    </nav>
  );
}

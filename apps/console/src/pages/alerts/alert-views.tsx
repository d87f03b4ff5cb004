import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { type AlertView, alertViews } from './alerts-search.ts';

/** The queue, the user's alerts, decided alerts and suppressions. */
export function AlertViews({ view }: { readonly view: AlertView }): ReactElement {
  const { t } = useTranslation();
  return (
    <nav aria-label={t('alerts.views')} className="flex flex-wrap gap-1 border-b border-line">
      {alertViews.map((one) => (
        <Link
          key={one}
          from="/w/$workspace/alerts"
          search={({ alert: _alert, ...before }) => ({ ...before, view: one })}
          aria-current={one === view ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent px-3 py-2 text-sm font-medium text-soft hover:text-ink aria-[current=page]:border-fence aria-[current=page]:text-ink"
        >
          {t(`alerts.view.${one}`)}
        </Link>
      ))}
    </nav>
  );
}

import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** Placeholder bars for loading rows. */
export function Loading({ rows = 6 }: { readonly rows?: number }): ReactElement {
  const { t } = useTranslation();
  return (
    <div role="status" className="flex flex-col gap-2 p-4">
      <span className="sr-only">{t('state.loading')}</span>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} className="h-7 animate-pulse rounded bg-sunken" />
      ))}
    </div>
  );
}

import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** The id by which the operator finds a failed request in the log. */
export function RequestId({ of }: { readonly of: string | undefined }): ReactElement | null {
  const { t } = useTranslation();
  if (of === undefined) return null;
  return (
    <p className="mt-1 text-2xs text-soft">
      {t('state.requestId')} <span className="font-mono select-all">{of}</span>
    </p>
  );
}

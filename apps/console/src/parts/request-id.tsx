import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** By what the operator finds a request that failed. */
export function RequestId({ of }: { readonly of: string | undefined }): ReactElement | null {
  const { t } = useTranslation();
  if (of === undefined) return null;
  return (
    <p className="mt-1 text-2xs text-soft">
      {t('state.requestId')} <span className="font-mono select-all">{of}</span>
    </p>
  );
}

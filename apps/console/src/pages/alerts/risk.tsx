import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

const high = 75;
const middle = 40;

/** 0 to 100: the sum of the scores of the rules that fired. */
export function Risk({ value }: { readonly value: number }): ReactElement {
  const { t } = useTranslation();
  const tone =
    value >= high ? 'bg-bad-wash text-bad' : value >= middle ? 'bg-warn-wash text-warn' : 'bg-sunken text-soft';
  return (
    <span
      title={t('alerts.risk', { value })}
      className={`grid h-8 w-10 place-items-center rounded-md text-sm font-semibold ${tone}`}
    >
      {value}
    </span>
  );
}

import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface WarmStartProps {
  readonly isWarm: boolean;
  readonly onChange: (isWarm: boolean) => void;
}

/** Option to backfill new features from the log. */
export function WarmStart({ isWarm, onChange }: WarmStartProps): ReactElement {
  const { t } = useTranslation();
  return (
    <label className="flex items-start gap-2 text-sm text-ink">
      <input
        type="checkbox"
        className="mt-0.5 size-4 accent-fence"
        checked={isWarm}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>
        {t('policyStart.warm')}
        <span className="block text-xs text-soft">{t('policyStart.warmHint')}</span>
      </span>
    </label>
  );
}

import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface ComparedAnewProps {
  /** The version that what is shown is compared with. */
  readonly active: number;
  /** What is shown is being done: that the version changes is what was asked for. */
  readonly isBusy: boolean;
}

/** Says that another version decides than when this was opened: somebody may have read what it changed before. */
export function ComparedAnew({ active, isBusy }: ComparedAnewProps): ReactElement | null {
  const { t } = useTranslation();
  const [before] = useState(active);
  const [isSeen, setSeen] = useState(false);
  if (!isSeen && !isBusy && active !== before) setSeen(true);
  if (!isSeen) return null;
  return (
    <p role="status" className="text-sm font-medium text-warn">
      {t('policy.comparedAnew', { before, active })}
    </p>
  );
}

import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface ComparedAnewProps {
  /** The version that the changes are compared with. */
  readonly active: number;
  /** An activation is running, so a change of version is expected. */
  readonly isBusy: boolean;
}

/** Warns that another version became active since the dialog opened: the changes that were read are outdated. */
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

import { Eye, EyeOff } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showPersonal, useIsPersonalShown } from '../api/personal.ts';
import { useRight } from '../api/use-workspace.ts';

/** Shows or masks personal data, for users with the right to see it. */
export function PersonalSwitch(): ReactElement | null {
  const { t } = useTranslation();
  const mayShow = useRight('show');
  const shown = useIsPersonalShown();
  if (!mayShow) return null;
  const Sign = shown ? Eye : EyeOff;
  return (
    <button
      type="button"
      aria-pressed={shown}
      title={t('shell.personalHint')}
      onClick={() => showPersonal(!shown)}
      className="flex h-8 items-center gap-1.5 rounded-md border border-line-strong bg-card px-2.5 text-xs font-medium text-soft hover:text-ink aria-pressed:border-warn aria-pressed:bg-warn-wash aria-pressed:text-warn"
    >
      <Sign aria-hidden className="size-4" />
      {t(shown ? 'shell.personalShown' : 'shell.personalMasked')}
    </button>
  );
}

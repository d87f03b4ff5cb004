import { CircleHelp, Eye, EyeOff, Search } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { AccountMenu } from './account-menu.tsx';
import { ServiceState } from './service-state.tsx';
import { TimePicker } from './time-picker.tsx';
import { WorkspaceSwitch } from './workspace-switch.tsx';
import { showPersonal, useIsPersonalShown } from '../api/personal.ts';
import { useRight } from '../api/use-workspace.ts';

interface TopBarProps {
  readonly onCommands: () => void;
  readonly onHelp: () => void;
}

/** Workspace, time range, search and account. */
export function TopBar({ onCommands, onHelp }: TopBarProps): ReactElement {
  const { t } = useTranslation();
  return (
    <header className="top-0 z-20 flex print:hidden min-h-14 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-page/95 px-3 py-1 md:sticky lg:px-6 backdrop-blur">
      <WorkspaceSwitch />
      <TimePicker />
      <PersonalSwitch />
      <ServiceState />
      <button
        type="button"
        onClick={onCommands}
        className="ml-auto flex h-8 items-center lg:w-44 xl:w-64 gap-2 rounded-md border border-line-strong bg-card px-2.5 text-sm text-soft hover:border-soft"
      >
        <Search aria-hidden className="size-4" />
        <span className="grow text-left max-lg:sr-only">{t('shell.search')}</span>
        <kbd className="rounded border border-line px-1 font-mono text-2xs max-lg:hidden">/</kbd>
      </button>
      <button
        type="button"
        onClick={onHelp}
        aria-label={t('shell.keyboard')}
        title={t('shell.keyboard')}
        className="grid size-8 place-items-center rounded-md text-soft hover:bg-sunken hover:text-ink"
      >
        <CircleHelp aria-hidden className="size-4.5" />
      </button>
      <AccountMenu />
    </header>
  );
}

/** Shows or masks personal data, for users with the right to see it. */
function PersonalSwitch(): ReactElement | null {
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

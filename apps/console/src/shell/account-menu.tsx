import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { sendDelayed } from '../api/delayed-changes.ts';
import { useSession, useWorkspaceName } from '../api/use-workspace.ts';
import { changeLanguage, languages } from '../language/language.ts';
import { chooseTheme, chosenTheme, type Theme, themes } from '../look/theme.ts';
import { forgetWritten } from '../parts/use-draft.ts';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../parts/menu.tsx';

const languageNames = { en: 'English', es: 'Español' } as const;

/** The user, display options and logout. */
export function AccountMenu(): ReactElement {
  const { t, i18n } = useTranslation();
  const { account } = useSession();
  const workspace = useWorkspaceName();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [theme, setTheme] = useState<Theme>(chosenTheme());
  const leave = async (): Promise<void> => {
    await sendDelayed();
    await call('endSession', {});
    client.clear();
    forgetWritten();
    await navigate({ to: '/login' });
  };
  const choose = (wanted: Theme): void => {
    chooseTheme(wanted);
    setTheme(wanted);
  };
  return (
    <Menu
      align="end"
      trigger={
        <button
          type="button"
          className="grid size-8 place-items-center rounded-full bg-fence text-xs font-semibold text-on-fence"
        >
          <span className="sr-only">{t('shell.account', { name: account.name })}</span>
          <span aria-hidden>{initials(account.name)}</span>
        </button>
      }
    >
      <div className="px-2 py-1.5">
        <p className="font-medium">{account.name}</p>
        <p className="text-xs text-soft">{account.email}</p>
      </div>
      <MenuLine />
      <MenuLabel>{t('shell.theme')}</MenuLabel>
      {themes.map((one) => (
        <MenuItem key={one} checked={one === theme} onSelect={() => choose(one)}>
          {t(`shell.themes.${one}`)}
        </MenuItem>
      ))}
      <MenuLabel>{t('shell.language')}</MenuLabel>
      {languages.map((language) => (
        <MenuItem key={language} checked={i18n.language === language} onSelect={() => void changeLanguage(language)}>
          {languageNames[language]}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onSelect={() => void navigate({ to: '/w/$workspace/settings', params: { workspace } })}>
        {t('shell.ownAccount')}
      </MenuItem>
      <MenuItem onSelect={() => void leave()}>{t('shell.logOut')}</MenuItem>
    </Menu>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  return words
    .slice(0, 2)
    .map((word) => word[0]!.toUpperCase())
    .join('');
}

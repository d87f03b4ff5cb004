import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Page } from '../../parts/page.tsx';
import { WorkspaceSettings } from './workspace-settings.tsx';

/** What holds for the workspace, for the people who use the console, and for oneself. */
export function SettingsPage(): ReactElement {
  const { t } = useTranslation();
  return (
    <Page title={t('section.settings')}>
      <div className="grid grid-cols-2 items-start gap-4">
        <WorkspaceSettings />
      </div>
    </Page>
  );
}

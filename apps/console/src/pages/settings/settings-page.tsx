import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useRight, useSession } from '../../api/use-workspace.ts';
import { Page } from '../../parts/page.tsx';
import { Notifications } from './notifications.tsx';
import { OwnAccount } from './own-account.tsx';
import { OwnNotifications } from './own-notifications.tsx';
import { People } from './people.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Streams } from './streams.tsx';
import { Tokens } from './tokens.tsx';
import { WorkspaceSettings } from './workspace-settings.tsx';

/** Settings of the workspace, of users, and of the own account. */
export function SettingsPage(): ReactElement {
  const { t } = useTranslation();
  const mayChange = useRight('administer');
  const mayAdminister = useSession().installation.includes('administer');
  return (
    <Page title={t('section.settings')}>
      <div className="grid grid-cols-1 lg:grid-cols-2 items-start gap-4">
        <WorkspaceSettings />
        <div className="flex flex-col gap-4">
          <OwnAccount />
          <SecondFactor />
          <OwnNotifications />
        </div>
      </div>
      {mayChange ? <Notifications /> : null}
      {mayAdminister ? (
        <>
          <People />
          <Tokens />
          <Streams />
        </>
      ) : null}
    </Page>
  );
}

import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../api/use-workspace.ts';
import { Page } from '../../parts/page.tsx';
import { OwnAccount } from './own-account.tsx';
import { People } from './people.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Tokens } from './tokens.tsx';
import { WorkspaceSettings } from './workspace-settings.tsx';

/** Settings of the workspace, of users, and of the own account. */
export function SettingsPage(): ReactElement {
  const { t } = useTranslation();
  const mayAdminister = useSession().installation.includes('administer');
  return (
    <Page title={t('section.settings')}>
      <div className="grid grid-cols-1 lg:grid-cols-2 items-start gap-4">
        <WorkspaceSettings />
        <div className="flex flex-col gap-4">
          <OwnAccount />
          <SecondFactor />
        </div>
      </div>
      {mayAdminister ? (
        <>
          <People />
          <Tokens />
        </>
      ) : null}
    </Page>
  );
}

import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Page } from '../../parts/page.tsx';
import { Ticker } from './ticker.tsx';

/** What is going on in the workspace. */
export function OverviewPage(): ReactElement {
  const { t } = useTranslation();
  return (
    <Page title={t('section.overview')} lead={t('overview.lead')}>
      <Ticker />
    </Page>
  );
}

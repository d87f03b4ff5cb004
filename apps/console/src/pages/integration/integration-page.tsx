import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Page } from '../../parts/page.tsx';
import { Channels } from './channels.tsx';
import { Checklist } from './checklist.tsx';
import { DeviceKeys } from './device-keys.tsx';
import { Examples } from './examples.tsx';
import { Keys } from './keys.tsx';
import { Refused } from './refused.tsx';
import { Warnings } from './warnings.tsx';
import { Webhook } from './webhook.tsx';
import { TestAction } from '../deliveries/test-action.tsx';

/** Setup of a bank: keys, webhook, channels, examples, and rejected requests. */
export function IntegrationPage(): ReactElement {
  const { t } = useTranslation();
  const [ownKey, setOwnKey] = useState('');
  return (
    <Page title={t('section.integration')} lead={t('integration.lead')} tools={<TestAction />}>
      <div className="grid grid-cols-1 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)] items-start gap-4">
        <div className="flex flex-col gap-4">
          <Checklist />
          <Warnings />
          <Examples ownKey={ownKey} onKey={setOwnKey} />
          <Refused />
        </div>
        <div className="flex flex-col gap-4">
          <Keys onMade={setOwnKey} />
          <Webhook />
          <Channels />
          <DeviceKeys />
        </div>
      </div>
    </Page>
  );
}

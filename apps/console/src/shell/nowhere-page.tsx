import { DoorClosed } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '../parts/empty.tsx';

/** For a user without a role in any workspace. */
export function NowherePage(): ReactElement {
  const { t } = useTranslation();
  return (
    <main className="py-24">
      <Empty sign={DoorClosed} title={<h1>{t('state.nowhereTitle')}</h1>}>
        {t('state.nowhere')}
      </Empty>
    </main>
  );
}

import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '../parts/empty.tsx';

/** An unknown address. */
export function MissingPage(): ReactElement {
  const { t } = useTranslation();
  return (
    <div className="py-16">
      <Empty sign={Compass} title={<h1>{t('state.missing')}</h1>}>
        <Link to="/" className="text-fence underline">
          {t('state.home')}
        </Link>
      </Empty>
    </div>
  );
}

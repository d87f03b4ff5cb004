import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { WorldMap } from '../../charts/world-map.tsx';
import { DbIpNote } from '../../parts/db-ip-note.tsx';
import { TopBars } from './top-list.tsx';

interface CountriesProps {
  readonly counts: readonly { readonly key: string; readonly count: number }[];
}

/** Countries of logins, as a map and as an accessible list. */
export function Countries({ counts }: CountriesProps): ReactElement {
  const { t, i18n } = useTranslation();
  const names = new Intl.DisplayNames(i18n.language, { type: 'region' });
  return (
    <>
      <WorldMap label={t('overview.countries')} counts={counts} language={i18n.language} height={190} />
      {counts.length === 0 ? (
        <p className="text-sm text-soft">{t('overview.noCountries')}</p>
      ) : (
        <TopBars items={counts.slice(0, 5).map(({ key, count }) => ({ key: nameOf(names, key), count }))} />
      )}
      <DbIpNote />
    </>
  );
}

function nameOf(names: Intl.DisplayNames, code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code;
}

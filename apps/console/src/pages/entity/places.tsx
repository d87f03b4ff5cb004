import { useQuery } from '@tanstack/react-query';
import { MapPinOff } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entity, Place } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { type MapPoint, WorldMap } from '../../charts/world-map.tsx';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { DbIpNote } from '../../parts/db-ip-note.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';

interface PlacesProps {
  readonly kind: Entity['kind'];
  readonly of: string;
}

/** Locations on a map, and as a list with network operators. */
export function Places({ kind, of }: PlacesProps): ReactElement {
  const { t, i18n } = useTranslation();
  const workspace = useWorkspaceName();
  const places = useQuery(asking('listPlaces', { params: { workspace, kind, ref: of } }));
  return (
    <Panel title={t('places.title')} hint={t('places.hint')}>
      <Asked of={places} rows={5}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty sign={MapPinOff} title={t('places.none')}>
              {t('places.noneHint')}
            </Empty>
          ) : (
            <div className="grid grid-cols-1 gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
              <WorldMap
                label={t('places.title')}
                counts={countriesOf(items)}
                points={pointsOf(items)}
                language={i18n.language}
                height={260}
              />
              <div className="flex flex-col justify-between gap-2">
                <List places={items} />
                <DbIpNote />
              </div>
            </div>
          )
        }
      </Asked>
    </Panel>
  );
}

/** Fits next to the map. */
const listedMax = 8;

function List({ places }: { readonly places: readonly Place[] }): ReactElement {
  const { t, i18n } = useTranslation();
  const names = new Intl.DisplayNames(i18n.language, { type: 'region' });
  return (
    <ul className="text-sm">
      {places.slice(0, listedMax).map(({ country, city, operator, events, fired, lastAt }) => (
        <li
          key={`${country}${city?.name ?? ''}${operator ?? ''}`}
          className="flex min-h-8 flex-wrap items-center gap-x-2"
        >
          <span className="min-w-0 truncate font-medium">
            {city === undefined ? null : `${city.name}, `}
            {/^[A-Z]{2}$/.test(country) ? names.of(country) : country}
          </span>
          {operator === undefined ? null : <span className="text-xs text-soft">AS{operator}</span>}
          {fired === 0 ? null : <Badge tone="bad">{t('places.fired', { count: fired })}</Badge>}
          <span className="ml-auto shrink-0 text-xs whitespace-nowrap text-soft">
            {t('places.times', { count: events })} · <Instant at={lastAt} as="ago" />
          </span>
        </li>
      ))}
    </ul>
  );
}

function countriesOf(places: readonly Place[]): readonly { readonly key: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { country, events } of places) counts.set(country, (counts.get(country) ?? 0) + events);
  return [...counts].map(([key, count]) => ({ key, count }));
}

function pointsOf(places: readonly Place[]): readonly MapPoint[] {
  return places.flatMap(({ city, events, fired }) =>
    city === undefined ? [] : [{ ...city, count: events, isMarked: fired > 0 }],
  );
}

import { registerMap } from 'echarts/core';
import { type ReactElement, useMemo } from 'react';
import { feature } from 'topojson-client';
import world from 'world-atlas/countries-110m.json' with { type: 'json' };
import { Chart } from './chart.tsx';
import { type ChartColours, tooltipOf } from './colours.ts';
import { countryCodes } from './country-codes.ts';
import type { ChartOption } from './modules.ts';

/** A city from which events came. */
export interface MapPoint {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly count: number;
  /** Whether a rule fired there. */
  readonly isMarked: boolean;
}

const noPoints: readonly MapPoint[] = [];

interface WorldMapProps {
  readonly label: string;
  readonly points?: readonly MapPoint[];
  readonly counts: readonly { readonly key: string; readonly count: number }[];
  readonly language: string;
  readonly height: number;
}

const { features } = feature(world, world.objects.countries);
// Antarctica has no logins; without it the rest is larger.
const named = features
  .filter(({ id }) => id !== '010')
  .map(({ id, geometry }) => ({
    type: 'Feature',
    properties: { name: countryCodes.get(String(id)) ?? '' },
    geometry: { ...geometry, coordinates: unwrapped(geometry.coordinates) },
  }));
registerMap('world', { type: 'FeatureCollection', features: named } as never);

/** Continues rings that cross the 180th meridian beyond it; otherwise lines would span the whole map. */
function unwrapped(coordinates: unknown): unknown {
  if (!isRing(coordinates)) return (coordinates as readonly unknown[]).map(unwrapped);
  const longitudes = coordinates.map(([longitude]) => longitude);
  if (Math.max(...longitudes) - Math.min(...longitudes) < 180) return coordinates;
  return coordinates.map(([longitude, latitude]) => [longitude < 0 ? longitude + 360 : longitude, latitude]);
}

function isRing(coordinates: unknown): coordinates is readonly (readonly [number, number])[] {
  return Array.isArray(coordinates) && Array.isArray(coordinates[0]) && typeof coordinates[0][0] === 'number';
}

/** Events by country, and by city if known. The outlines ship with the console. */
export function WorldMap({ label, counts, points = noPoints, language, height }: WorldMapProps): ReactElement {
  const option = useMemo(() => {
    const names = new Intl.DisplayNames(language, { type: 'region' });
    const max = Math.max(1, ...counts.map(({ count }) => count));
    return (colours: ChartColours): ChartOption => ({
      tooltip: {
        ...tooltipOf(colours),
        formatter: (shown) => {
          const { name, value } = shown as unknown as { name: string; value: number | readonly number[] };
          if (typeof value !== 'number') return `${name}  ${value?.[2] ?? 0}`;
          return name === '' ? '' : `${names.of(name) ?? name}  ${Number.isNaN(value) ? 0 : value}`;
        },
      },
      visualMap: { show: false, seriesIndex: 0, min: 0, max, inRange: { color: [colours.sunken, colours.fence] } },
      geo: {
        map: 'world',
        roam: false,
        top: 0,
        bottom: 0,
        left: 0,
        right: 0,
        itemStyle: { areaColor: colours.sunken, borderColor: colours.line },
        emphasis: { label: { show: false }, itemStyle: { areaColor: colours.warn } },
        select: { disabled: true },
      },
      series: [
        { type: 'map', geoIndex: 0, data: counts.map(({ key, count }) => ({ name: key, value: count })) },
        {
          type: 'scatter',
          coordinateSystem: 'geo',
          symbolSize: 9,
          data: points.map(({ name, latitude, longitude, count, isMarked }) => ({
            name,
            value: [longitude, latitude, count],
            itemStyle: { color: isMarked ? colours.bad : colours.cool, borderColor: colours.card, borderWidth: 1 },
          })),
        },
      ],
    });
  }, [counts, points, language]);
  return <Chart label={label} height={height} option={option} />;
}

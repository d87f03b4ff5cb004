import type { TFunction } from 'i18next';
import type { FoundEvents } from '../../api/operations.generated.ts';
import { type ChartColours, tooltipOf } from '../../charts/colours.ts';
import type { ChartOption } from '../../charts/modules.ts';
import type { Formats } from '../../format/formats.ts';

interface Drawing {
  readonly colours: ChartColours;
  readonly formats: Formats;
  readonly t: TFunction;
}

/** Chart of the matching events over time. */
export function foundOption({ series, bucketSeconds }: FoundEvents, { colours, formats, t }: Drawing): ChartOption {
  const { soft, line, fence } = colours;
  const axis = {
    axisLabel: { color: soft, fontSize: 11 },
    axisLine: { lineStyle: { color: line } },
    splitLine: { lineStyle: { color: line } },
  } as const;
  // Within a minute, show seconds too.
  const nameOf = (iso: string): string => (bucketSeconds < 60 ? formats.clock(iso) : formats.shortTime(iso));
  const label = { ...axis.axisLabel, formatter: (at: number) => nameOf(new Date(at).toISOString()) };
  return {
    grid: { left: 44, right: 12, top: 12, bottom: 24 },
    xAxis: { type: 'time', ...axis, splitLine: { show: false }, axisLabel: { ...label, hideOverlap: true } },
    yAxis: { type: 'value', minInterval: 1, splitNumber: 3, ...axis },
    tooltip: { ...tooltipOf(colours), trigger: 'axis', axisPointer: { type: 'line' } },
    toolbox: { show: false },
    brush: { xAxisIndex: 'all', brushLink: 'all', toolbox: [], throttleType: 'debounce' },
    series: [
      {
        type: 'bar',
        barMaxWidth: 14,
        name: t('section.events'),
        itemStyle: { color: fence },
        data: series.map(({ at, count }) => [Date.parse(at), count]),
      },
    ],
  };
}

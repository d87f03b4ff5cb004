import type { TFunction } from 'i18next';
import type { OverviewBucket } from '../../api/operations.generated.ts';
import { type ChartColours, tooltipOf } from '../../charts/colours.ts';
import type { ChartOption } from '../../charts/modules.ts';
import type { Formats } from '../../format/formats.ts';

interface Drawing {
  readonly colours: ChartColours;
  readonly formats: Formats;
  readonly t: TFunction;
}

/** Two charts over one time axis: all events by type, and the few flagged ones, which would be invisible among them. */
export function seriesOption(buckets: readonly OverviewBucket[], { colours, formats, t }: Drawing): ChartOption {
  const points = (pick: (bucket: OverviewBucket) => number) =>
    buckets.map((bucket) => [Date.parse(bucket.at), pick(bucket)]);
  const bars = (name: string, color: string, pick: (bucket: OverviewBucket) => number) =>
    ({ type: 'bar', barMaxWidth: 14, name, itemStyle: { color }, data: points(pick) }) as const;
  const above = { stack: 'came' } as const;
  const below = { stack: 'fired', xAxisIndex: 1, yAxisIndex: 1 } as const;
  const axis = axisOf(colours);
  const label = { ...axis.axisLabel, formatter: (at: number) => formats.shortTime(new Date(at).toISOString()) };
  const time = { type: 'time', ...axis, splitLine: { show: false } } as const;
  return {
    grid: [
      { left: 44, right: 12, top: 12, height: 128 },
      { left: 44, right: 12, top: 164, height: 56 },
    ],
    xAxis: [
      { ...time, gridIndex: 0, axisLabel: { show: false } },
      { ...time, gridIndex: 1, axisLabel: label },
    ],
    yAxis: [
      { type: 'value', gridIndex: 0, minInterval: 1, splitNumber: 3, ...axis },
      { type: 'value', gridIndex: 1, minInterval: 1, splitNumber: 2, ...axis },
    ],
    tooltip: { ...tooltipOf(colours), trigger: 'axis', axisPointer: { type: 'line' } },
    toolbox: { show: false },
    brush: { xAxisIndex: 'all', brushLink: 'all', toolbox: [], throttleType: 'debounce' },
    series: [
      { ...bars(t('event.kind.login'), colours.cool, ({ logins }) => logins), ...above },
      { ...bars(t('event.kind.operation'), colours.fence, ({ operations }) => operations), ...above },
      { ...bars(t('event.kind.logout'), colours.line, ({ logouts }) => logouts), ...above },
      { ...bars(t('overview.fired'), colours.bad, ({ fired }) => fired), ...below },
      { ...bars(t('policy.mode.shadow'), colours.watch, ({ shadow }) => shadow), ...below },
    ],
  };
}

function axisOf({ soft, line }: ChartColours) {
  return {
    axisLabel: { color: soft, fontSize: 11 },
    axisLine: { lineStyle: { color: line } },
    splitLine: { lineStyle: { color: line } },
  } as const;
}

import { type ReactElement, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { VariedResult } from '../../api/operations.generated.ts';
import { Chart } from '../../charts/chart.tsx';
import { type ChartColours, tooltipOf } from '../../charts/colours.ts';
import type { ChartOption } from '../../charts/modules.ts';
import { useFormats } from '../../format/use-formats.ts';
import { moneyOf, nearestTo } from './threshold-figures.ts';

/** The margins of both charts, so that their axes are aligned. */
export const chartMargin = { left: 64, right: 24 } as const;
const height = 300;
const counts = { top: 24, height: 130 } as const;
const amounts = { top: 186, height: 80 } as const;

interface ThresholdChartProps {
  readonly varied: VariedResult;
  /** The currency of the amounts; `undefined` without amounts. */
  readonly currency: string | undefined;
  /** Place of the chosen value. */
  readonly chosen: number;
  readonly onChoose: (at: number) => void;
}

/** Fraud caught and false positives, and below their amounts, against the values of a parameter; drag to choose one. */
export function ThresholdChart({ varied, currency, chosen, onChoose }: ThresholdChartProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const option = useMemo(() => {
    const names = {
      caught: t('backtest.caught'),
      goodHit: t('threshold.goodHit'),
      matches: t('backtest.matches'),
      live: t('threshold.liveMark'),
      money: currency === undefined || currency === '' ? t('threshold.amounts') : currency,
    };
    return (colours: ChartColours): ChartOption =>
      optionOf({ varied, currency, names, colours, format: (value) => formats.number(value) });
  }, [varied, currency, t, formats]);
  const overlay = useMemo(() => {
    const at = Number(varied.values[chosen]?.value);
    return ({ ink }: ChartColours): ChartOption => ({
      series: [chosenMark, chosenMoneyMark].map((id) => ({
        id,
        type: 'line',
        markLine: {
          ...markBase,
          data: [{ xAxis: at }],
          label: { show: false },
          lineStyle: { color: ink, type: 'solid', width: 2 },
        },
      })),
    });
  }, [varied, chosen]);
  const choose = (x: number): void => onChoose(nearestTo(varied, x));
  return (
    <Chart
      label={t('threshold.chart', { param: varied.param })}
      height={height}
      option={option}
      overlay={overlay}
      onDrag={choose}
    />
  );
}

const chosenMark = 'chosen';
const chosenMoneyMark = 'chosenMoney';
const markBase = { silent: true, symbol: 'none', animation: false } as const;

interface Drawn extends Pick<ThresholdChartProps, 'varied' | 'currency'> {
  readonly names: Readonly<Record<'caught' | 'goodHit' | 'matches' | 'live' | 'money', string>>;
  readonly colours: ChartColours;
  readonly format: (value: number) => string;
}

function optionOf(drawn: Drawn): ChartOption {
  const { varied, names, colours, format } = drawn;
  const { soft, line } = colours;
  const xs = varied.values.map(({ value }) => Number(value));
  const label = { color: soft, fontSize: 11, formatter: format };
  const x = { type: 'value', min: xs[0]!, max: xs.at(-1)!, splitLine: { show: false } } as const;
  const y = { type: 'value', splitLine: { lineStyle: { color: line } }, axisLabel: label, splitNumber: 3 } as const;
  const nameStyle = { color: soft, fontSize: 11, align: 'left' } as const;
  return {
    tooltip: { ...tooltipOf(colours), trigger: 'axis', valueFormatter: (value) => format(Number(value)) },
    grid: [
      { ...chartMargin, ...counts },
      { ...chartMargin, ...amounts },
    ],
    xAxis: [
      { ...x, gridIndex: 0, axisLabel: { show: false }, axisLine: { lineStyle: { color: line } } },
      { ...x, gridIndex: 1, axisLabel: label, axisLine: { lineStyle: { color: line } } },
    ],
    yAxis: [
      { ...y, gridIndex: 0, minInterval: 1 },
      { ...y, gridIndex: 1, splitNumber: 2, name: names.money, nameTextStyle: nameStyle, nameGap: 8 },
    ],
    series: seriesOf(drawn),
  };
}

function seriesOf({ varied, currency, names, colours }: Drawn): NonNullable<ChartOption['series']> {
  const { fence, warn, soft } = colours;
  const { values } = varied;
  const isLabelled = values.some(({ matches }) => matches.fraud + matches.legitimate > 0);
  const points = (of: (value: (typeof values)[number]) => number): readonly (readonly [number, number])[] =>
    values.map((value) => [Number(value.value), of(value)] as const);
  const lineOf = (
    name: string,
    [color, type]: readonly [string, 'solid' | 'dashed'],
    data: ReturnType<typeof points>,
  ) =>
    ({
      type: 'line',
      name,
      data: data.map(([x, y]) => [x, y]),
      color,
      lineStyle: { type, width: 2 },
      symbolSize: 6,
    }) as const;
  const caught = [fence, 'solid'] as const;
  const goodHit = [warn, 'dashed'] as const;
  const ofMoney = { xAxisIndex: 1, yAxisIndex: 1 };
  const money = (of: 'fraud' | 'legitimate') =>
    points(({ matches }) => Number(moneyOf(matches.money, currency ?? '')[of]));
  return [
    ...(isLabelled
      ? []
      : [
          lineOf(
            names.matches,
            [soft, 'solid'],
            points(({ matches }) => matches.events),
          ),
        ]),
    lineOf(
      names.caught,
      caught,
      points(({ matches }) => matches.fraud),
    ),
    lineOf(
      names.goodHit,
      goodHit,
      points(({ matches }) => matches.legitimate),
    ),
    ...(currency === undefined
      ? []
      : [
          { ...lineOf(names.caught, caught, money('fraud')), ...ofMoney },
          { ...lineOf(names.goodHit, goodHit, money('legitimate')), ...ofMoney },
        ]),
    { type: 'line', data: [], markLine: liveMark(varied, names.live, colours) },
    { type: 'line', data: [], ...ofMoney, markLine: liveMark(varied, '', colours) },
    { id: chosenMark, type: 'line', data: [] },
    { id: chosenMoneyMark, type: 'line', data: [], ...ofMoney },
  ];
}

function liveMark({ live }: VariedResult, name: string, { soft, lineStrong }: ChartColours) {
  return {
    ...markBase,
    data: live === undefined ? [] : [{ xAxis: Number(live) }],
    label: { show: name !== '', formatter: name, color: soft, fontSize: 11 },
    lineStyle: { color: lineStrong, type: 'dotted', width: 2 },
  } as const;
}

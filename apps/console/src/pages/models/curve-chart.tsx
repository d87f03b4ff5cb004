import { type ReactElement, useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { type ChartColours, tooltipOf } from '../../charts/colours.ts';
import type { ChartOption } from '../../charts/modules.ts';
import { useFormats } from '../../format/use-formats.ts';

/** A line of a chart. */
export interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly look: 'main' | 'other' | 'guide';
  /** Shows its points, not only the line between them. */
  readonly isDotted?: boolean;
}

interface CurveChartProps {
  /** Text alternative. */
  readonly label: string;
  readonly x: string;
  readonly y: string;
  readonly curves: readonly Curve[];
  readonly scale?: 'log';
  /** Values are shares: shown as percentages, from 0 to 1. */
  readonly isShare?: { readonly x?: true; readonly y?: true };
}

const height = 260;

/** Curves over one pair of axes, with a legend. */
export function CurveChart(props: CurveChartProps): ReactElement {
  const formats = useFormats();
  const { label, x, y, curves, scale, isShare } = props;
  const option = useMemo(
    () =>
      (colours: ChartColours): ChartOption =>
        optionOf(
          {
            label,
            x,
            y,
            curves,
            ...(scale === undefined ? {} : { scale }),
            ...(isShare === undefined ? {} : { isShare }),
          },
          { colours, number: (value) => formats.number(value), percent: (value) => formats.percent(value) },
        ),
    [label, x, y, curves, scale, isShare, formats],
  );
  const named = curves.filter(({ look }) => look !== 'guide');
  return (
    <figure className="min-w-0">
      {named.length > 1 ? (
        <ul className="flex flex-wrap gap-x-4 text-xs text-soft">
          {named.map(({ name, look }) => (
            <li key={name} className="flex items-center gap-1.5">
              <span
                aria-hidden
                className={
                  look === 'main' ? 'h-0 w-5 border-t-2 border-fence' : 'h-0 w-5 border-t-2 border-dashed border-warn'
                }
              />
              {name}
            </li>
          ))}
        </ul>
      ) : null}
      <Chart label={label} height={height} option={option} />
    </figure>
  );
}

interface Drawing {
  readonly colours: ChartColours;
  readonly number: (value: number) => string;
  readonly percent: (value: number) => string;
}

function optionOf({ x, y, curves, scale, isShare }: CurveChartProps, drawing: Drawing): ChartOption {
  const { colours, number, percent } = drawing;
  const { soft, line, fence, warn, lineStrong } = colours;
  const axis = (name: string, share: true | undefined) => ({
    name,
    nameTextStyle: { color: soft, fontSize: 11 },
    axisLabel: {
      color: soft,
      fontSize: 11,
      formatter: (value: number) => (share === true ? percent(value) : number(value)),
    },
    splitLine: { lineStyle: { color: line } },
    axisLine: { lineStyle: { color: line } },
    ...(share === true && scale === undefined ? { max: 1 } : {}),
  });
  const looks = {
    main: { color: fence, lineStyle: { type: 'solid', width: 2 } },
    other: { color: warn, lineStyle: { type: 'dashed', width: 2 } },
    guide: { color: lineStrong, lineStyle: { type: 'dotted', width: 1 } },
  } as const;
  const shown = (value: unknown, share: true | undefined): string =>
    share === true ? percent(Number(value)) : number(Number(value));
  return {
    tooltip: {
      ...tooltipOf(colours),
      trigger: 'item',
      formatter: (item) => {
        const { value, seriesName } = item as { readonly value: readonly number[]; readonly seriesName: string };
        return `${seriesName}\n${x}: ${shown(value[0], isShare?.x)}\n${y}: ${shown(value[1], isShare?.y)}`;
      },
    },
    grid: { left: 56, right: 24, top: 28, bottom: 40 },
    xAxis: { type: scale === 'log' ? 'log' : 'value', nameLocation: 'middle', nameGap: 24, ...axis(x, isShare?.x) },
    yAxis: { type: scale === 'log' && isShare?.x === true ? 'log' : 'value', ...axis(y, isShare?.y) },
    series: curves.map(({ name, points, look, isDotted }) => ({
      type: 'line',
      name,
      data: points.map(([left, right]) => [left, right]),
      symbolSize: isDotted === true ? 8 : 5,
      showSymbol: isDotted === true,
      silent: look === 'guide',
      ...looks[look],
    })),
  };
}

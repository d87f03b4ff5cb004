import { init } from 'echarts/core';
import { type ReactElement, useEffect, useRef } from 'react';
import { useThemeName } from '../look/use-theme-name.ts';
import { type ChartColours, chartColours } from './colours.ts';
import './modules.ts';
import type { ChartOption } from './modules.ts';

interface ChartProps {
  /** Text alternative of the chart. */
  readonly label: string;
  readonly height: number;
  readonly option: (colours: ChartColours) => ChartOption;
  /** Called with the name of the clicked item. */
  readonly onPick?: (name: string) => void;
  /** Called with the start and end of the selected span, in milliseconds. */
  readonly onZoom?: (fromMs: number, toMs: number) => void;
}

/** A canvas chart in the colours of the page. It follows the size of its box and the theme. */
export function Chart({ label, height, option, onPick, onZoom }: ChartProps): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const theme = useThemeName();
  const calls = useRef({ onPick, onZoom });
  calls.current = { onPick, onZoom };
  useEffect(() => {
    const element = box.current!;
    const chart = init(element, undefined, { renderer: 'canvas' });
    const watcher = new ResizeObserver(() => chart.resize());
    watcher.observe(element);
    chart.on('click', ({ name }) => calls.current.onPick?.(name));
    chart.on('brushEnd', (event) => {
      const [from, to] = (event as { areas?: { coordRange?: number[] }[] }).areas?.[0]?.coordRange ?? [];
      if (from !== undefined && to !== undefined) calls.current.onZoom?.(from, to);
    });
    chart.setOption({ animation: false, ...option(chartColours()) });
    if (calls.current.onZoom !== undefined) {
      const cursor = { brushType: 'lineX', brushMode: 'single' };
      chart.dispatchAction({ type: 'takeGlobalCursor', key: 'brush', brushOption: cursor });
    }
    return () => {
      watcher.disconnect();
      chart.dispose();
    };
  }, [option, theme]);
  return <div ref={box} role="img" aria-label={label} style={{ height }} className="w-full" />;
}

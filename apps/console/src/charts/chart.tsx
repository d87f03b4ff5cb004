import { type EChartsType, init } from 'echarts/core';
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
  /** Called with the value on the first horizontal axis where the pointer is pressed, and wherever it is dragged. */
  readonly onDrag?: (x: number) => void;
  /** What changes often, such as a mark: merged into the chart by the ids of its series, without drawing all again. */
  readonly overlay?: (colours: ChartColours) => ChartOption;
}

/** A canvas chart in the colours of the page. It follows the size of its box and the theme. */
export function Chart({ label, height, option, onPick, onZoom, onDrag, overlay }: ChartProps): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const theme = useThemeName();
  const drawn = useRef<EChartsType>(undefined);
  const calls = useRef({ onPick, onZoom, onDrag });
  calls.current = { onPick, onZoom, onDrag };
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
    drawn.current = chart;
    const leave = calls.current.onDrag === undefined ? undefined : followDrag(chart, (x) => calls.current.onDrag?.(x));
    return () => {
      leave?.();
      watcher.disconnect();
      chart.dispose();
    };
  }, [option, theme]);
  useEffect(() => {
    if (overlay !== undefined) drawn.current?.setOption(overlay(chartColours()));
  }, [option, overlay, theme]);
  return <div ref={box} role="img" aria-label={label} style={{ height }} className="w-full" />;
}

/** @returns what ends it */
function followDrag(chart: EChartsType, onDrag: (x: number) => void): () => void {
  let isPressed = false;
  const tell = ({ offsetX }: { readonly offsetX: number }): void => {
    const x: unknown = chart.convertFromPixel({ xAxisIndex: 0 }, offsetX);
    if (typeof x === 'number' && Number.isFinite(x)) onDrag(x);
  };
  const surface = chart.getZr();
  surface.on('mousedown', (event) => {
    isPressed = true;
    tell(event);
  });
  surface.on('mousemove', (event) => {
    if (isPressed) tell(event);
  });
  // Also outside of the chart.
  const release = (): void => {
    isPressed = false;
  };
  window.addEventListener('pointerup', release);
  return () => window.removeEventListener('pointerup', release);
}

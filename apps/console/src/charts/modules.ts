import {
  BarChart,
  type BarSeriesOption,
  HeatmapChart,
  type HeatmapSeriesOption,
  LineChart,
  type LineSeriesOption,
  MapChart,
  type MapSeriesOption,
  ScatterChart,
  type ScatterSeriesOption,
} from 'echarts/charts';
import {
  BrushComponent,
  type BrushComponentOption,
  GeoComponent,
  type GeoComponentOption,
  GridComponent,
  type GridComponentOption,
  MarkLineComponent,
  type MarkLineComponentOption,
  ToolboxComponent,
  type ToolboxComponentOption,
  TooltipComponent,
  type TooltipComponentOption,
  VisualMapComponent,
  type VisualMapComponentOption,
} from 'echarts/components';
import { type ComposeOption, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([
  BarChart,
  BrushComponent,
  CanvasRenderer,
  GeoComponent,
  GridComponent,
  HeatmapChart,
  LineChart,
  MapChart,
  MarkLineComponent,
  ScatterChart,
  ToolboxComponent,
  TooltipComponent,
  VisualMapComponent,
]);

/** The ECharts options in use: only these modules are bundled. */
export type ChartOption = ComposeOption<
  | BarSeriesOption
  | BrushComponentOption
  | GridComponentOption
  | HeatmapSeriesOption
  | LineSeriesOption
  | GeoComponentOption
  | MapSeriesOption
  | MarkLineComponentOption
  | ScatterSeriesOption
  | ToolboxComponentOption
  | TooltipComponentOption
  | VisualMapComponentOption
>;

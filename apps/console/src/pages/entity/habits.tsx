import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entity, Event } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { Chart } from '../../charts/chart.tsx';
import { type ChartColours, tooltipOf } from '../../charts/colours.ts';
import type { ChartOption } from '../../charts/modules.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useSpan } from '../../url/use-span.ts';
import { Places } from './places.tsx';

/** The maximum page size of the API; habits cover these newest events. */
const drawn = 200;

interface HabitsProps {
  readonly about: string;
  readonly kind: Entity['kind'];
  readonly of: string;
}

/** Usual locations, hours and amounts. */
export function Habits({ about, kind, of }: HabitsProps): ReactElement {
  const workspace = useWorkspaceName();
  const span = useSpan();
  const events = useQuery(asking('listEvents', { params: { workspace }, query: { ...span, about, limit: drawn } }));
  return (
    <div className="flex flex-col gap-4">
      <Places kind={kind} of={of} />
      <Asked of={events}>{({ items }) => <Drawings events={items} />}</Asked>
    </div>
  );
}

function Drawings({ events }: { readonly events: readonly Event[] }): ReactElement {
  const { t } = useTranslation();
  const timeZone = useWorkspace()?.settings.timezone ?? 'UTC';
  const habits = useMemo(() => habitsOf(events, timeZone), [events, timeZone]);
  return (
    <div className="flex flex-col gap-4">
      <Panel title={t('entity.hours')} hint={t('entity.newest', { count: events.length })}>
        <Hours hours={habits.hours} />
      </Panel>
      {[...habits.amounts].map(([currency, amounts]) => (
        <Panel key={currency} title={t('entity.amounts', { currency })}>
          <Amounts amounts={amounts} currency={currency} />
        </Panel>
      ))}
    </div>
  );
}

function Hours({ hours }: { readonly hours: readonly (readonly number[])[] }): ReactElement {
  const { t, i18n } = useTranslation();
  const option = useCallback(
    (colours: ChartColours): ChartOption => {
      const day = new Intl.DateTimeFormat(i18n.language, { weekday: 'short', timeZone: 'UTC' });
      // 1 January 2024 was a Monday.
      const days = hours.map((_, at) => day.format(Date.UTC(2024, 0, 1 + at)));
      const axis = {
        axisLabel: { color: colours.soft, fontSize: 11 },
        axisLine: { show: false },
        axisTick: { show: false },
        splitArea: { show: false },
      };
      return {
        grid: { left: 48, right: 8, top: 8, bottom: 24 },
        xAxis: { type: 'category', data: Array.from({ length: 24 }, (_, hour) => String(hour)), ...axis },
        yAxis: { type: 'category', data: days, inverse: true, ...axis },
        tooltip: tooltipOf(colours),
        visualMap: {
          show: false,
          min: 0,
          max: Math.max(1, ...hours.flat()),
          inRange: { color: [colours.sunken, colours.fence] },
        },
        series: {
          type: 'heatmap',
          data: hours.flatMap((row, at) => row.map((count, hour) => [hour, at, count])),
          itemStyle: { borderColor: colours.card, borderWidth: 2, borderRadius: 3 },
        },
      };
    },
    [hours, i18n.language],
  );
  return <Chart label={t('entity.hours')} height={220} option={option} />;
}

interface AmountsProps {
  readonly amounts: readonly { readonly atMs: number; readonly amount: number; readonly fired: boolean }[];
  readonly currency: string;
}

function Amounts({ amounts, currency }: AmountsProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const option = useCallback(
    (colours: ChartColours): ChartOption => {
      const axis = {
        axisLabel: { color: colours.soft, fontSize: 11 },
        axisLine: { lineStyle: { color: colours.line } },
        splitLine: { lineStyle: { color: colours.line } },
      };
      return {
        grid: { left: 64, right: 12, top: 12, bottom: 26 },
        xAxis: {
          type: 'time',
          ...axis,
          splitLine: { show: false },
          axisLabel: { ...axis.axisLabel, formatter: (at: number) => formats.shortTime(new Date(at).toISOString()) },
        },
        yAxis: { type: 'value', ...axis },
        tooltip: { ...tooltipOf(colours), trigger: 'item' },
        series: {
          type: 'line',
          lineStyle: { width: 1, color: colours.line },
          symbolSize: 8,
          data: amounts.map(({ atMs, amount, fired }) => ({
            value: [atMs, amount],
            itemStyle: { color: fired ? colours.bad : colours.fence },
          })),
        },
      };
    },
    [amounts, formats],
  );
  return <Chart label={t('entity.amounts', { currency })} height={200} option={option} />;
}

interface Habits {
  /** Events by weekday (0: Monday) and hour, in the time zone of the workspace. */
  readonly hours: readonly (readonly number[])[];
  /** Amounts of operations with their times by currency, newest first. */
  readonly amounts: ReadonlyMap<
    string,
    readonly { readonly atMs: number; readonly amount: number; readonly fired: boolean }[]
  >;
}

/** Activity by hour and amounts, computed from a list of events. */
function habitsOf(events: readonly Event[], timeZone: string): Habits {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', hour: '2-digit', hourCycle: 'h23' });
  const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const hours = days.map(() => Array.from({ length: 24 }, () => 0));
  const amounts = new Map<string, { atMs: number; amount: number; fired: boolean }[]>();
  for (const event of events) {
    const at = parts.formatToParts(new Date(event.eventAt ?? event.loggedAt));
    const day = days.indexOf(at.find(({ type }) => type === 'weekday')?.value ?? '');
    const hour = Number(at.find(({ type }) => type === 'hour')?.value);
    const row = hours[day];
    if (row !== undefined) row[hour] = (row[hour] ?? 0) + 1;
    if (event.amount === undefined) continue;
    const currency = event.currency ?? '';
    const list = amounts.get(currency) ?? [];
    list.push({
      atMs: Date.parse(event.eventAt ?? event.loggedAt),
      amount: Number(event.amount),
      fired: event.fired.length > 0,
    });
    amounts.set(currency, list);
  }
  return { hours, amounts };
}

import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { RuleDay } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';

/** When a version began to decide that changed the rule. */
export interface Mark {
  readonly at: string;
  readonly version: number;
}

interface RuleChartProps {
  readonly label: string;
  readonly from: string;
  readonly to: string;
  readonly days: readonly RuleDay[];
  readonly marks: readonly Mark[];
  /** In a row of a table: without words and axis. */
  readonly isSmall?: boolean;
}

const dayMs = 86_400_000;
const small = { width: 160, height: 28 } as const;
const large = { width: 900, height: 120 } as const;

/** Matches of a rule by day as bars, in shadow beside live, with a line where a version changed it. */
export function RuleChart({ label, from, to, days, marks, isSmall = false }: RuleChartProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { width, height } = isSmall ? small : large;
  const [fromMs, toMs] = [Date.parse(from) - dayMs, Date.parse(to)];
  const x = (at: string): number => ((Date.parse(at) - fromMs) / (toMs - fromMs)) * width;
  const barWidth = Math.max(1, (dayMs / (toMs - fromMs)) * width - 1);
  const most = Math.max(1, ...days.map(({ fired, shadow }) => fired + shadow));
  const y = (count: number): number => (count / most) * (height - 2);
  const shown = (day: RuleDay): string =>
    [
      formats.day(day.at),
      `${t('ruleHealth.fired')} ${formats.number(day.fired)}`,
      `${t('ruleHealth.shadow')} ${formats.number(day.shadow)}`,
      precisionOf(day) === undefined ? '' : `${t('ruleHealth.precision')} ${formats.percent(precisionOf(day)!)}`,
    ]
      .filter((part) => part !== '')
      .join(' · ');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className={isSmall ? 'h-7 w-40' : 'h-30 w-full'}
    >
      <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} className="stroke-line" />
      {days.map((day) => (
        <g key={day.at}>
          <title>{shown(day)}</title>
          <rect x={x(day.at)} y={height - y(day.fired)} width={barWidth} height={y(day.fired)} className="fill-fence" />
          <rect
            x={x(day.at)}
            y={height - y(day.fired) - y(day.shadow)}
            width={barWidth}
            height={y(day.shadow)}
            className="fill-watch"
          />
        </g>
      ))}
      {marks.map(({ at, version }) => (
        <g key={`${at}${version}`}>
          <title>{`${t('ruleHistory.changedBy', { version })} · ${formats.instant(at)}`}</title>
          <line
            x1={x(at)}
            x2={x(at)}
            y1={0}
            y2={height}
            className="stroke-bad"
            strokeWidth={isSmall ? 1.5 : 2}
            strokeDasharray="3 2"
            vectorEffect="non-scaling-stroke"
          />
        </g>
      ))}
    </svg>
  );
}

/** Share of fraud among the labelled matches; `undefined` without a label. */
export function precisionOf({ fraud, legitimate }: Pick<RuleDay, 'fraud' | 'legitimate'>): number | undefined {
  return fraud + legitimate === 0 ? undefined : fraud / (fraud + legitimate);
}

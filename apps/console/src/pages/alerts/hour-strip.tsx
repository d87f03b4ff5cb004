import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface HourStripProps {
  /** Events by hour of the day. */
  readonly hours: readonly number[];
  readonly marked: number;
}

const [width, height] = [8, 20];
const leastBar = 1;

/** The hours in which the client is active, with the hour of this event marked. */
export function HourStrip({ hours, marked }: HourStripProps): ReactElement {
  const { t } = useTranslation();
  const most = Math.max(1, ...hours);
  const busy = hours.flatMap((count, hour) => (count > 0 ? [hour] : []));
  if (busy.length === 0) return <>–</>;
  const label = t('alerts.hours24', { hours: busy.join(', '), hour: marked });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width * hours.length} ${height}`}
      className="h-5 w-48 max-w-full"
      preserveAspectRatio="none"
    >
      <title>{label}</title>
      {hours.map((count, hour) => {
        const isMarked = hour === marked;
        const tall = Math.max(leastBar, (count / most) * (height - 4));
        return (
          <g key={hour}>
            <rect
              x={hour * width + 1}
              width={width - 2}
              y={height - 4 - tall}
              height={tall}
              className={isMarked ? 'fill-bad' : 'fill-line-strong'}
            />
            {isMarked ? <rect x={hour * width} width={width} y={height - 3} height={3} className="fill-bad" /> : null}
          </g>
        );
      })}
    </svg>
  );
}

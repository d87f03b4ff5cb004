import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { OverviewBucket } from '../../api/operations.generated.ts';
import { Chart } from '../../charts/chart.tsx';
import type { ChartColours } from '../../charts/colours.ts';
import { useFormats } from '../../format/use-formats.ts';
import { seriesOption } from './series-option.ts';

/** Events over time above flagged events. Selecting a span with the pointer zooms in. */
export function Series({ buckets }: { readonly buckets: readonly OverviewBucket[] }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const navigate = useNavigate();
  const option = useCallback(
    (colours: ChartColours) => seriesOption(buckets, { colours, formats, t }),
    [buckets, formats, t],
  );
  const zoom = (fromMs: number, toMs: number): void =>
    void navigate({
      to: '.',
      search: (before: object) =>
        ({
          ...before,
          range: undefined,
          from: new Date(fromMs).toISOString(),
          to: new Date(toMs).toISOString(),
        }) as never,
    });
  return (
    <>
      <Legend />
      <Chart label={t('overview.series')} height={250} option={option} onZoom={zoom} />
    </>
  );
}

function Legend(): ReactElement {
  const { t } = useTranslation();
  const entries = [
    ['bg-cool', t('event.kind.login')],
    ['bg-fence', t('event.kind.operation')],
    ['bg-line-strong', t('event.kind.logout')],
    ['bg-bad', t('overview.fired')],
    ['bg-watch', t('policy.mode.shadow')],
  ] as const;
  return (
    <ul className="flex flex-wrap gap-x-4 text-xs text-soft">
      {entries.map(([colour, name]) => (
        <li key={name} className="flex items-center gap-1.5">
          <span aria-hidden className={`size-2.5 rounded-sm ${colour}`} />
          {name}
        </li>
      ))}
    </ul>
  );
}

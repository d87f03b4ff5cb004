import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CalibrationBin } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { CurveChart } from './curve-chart.tsx';
import { DataTable } from './data-table.tsx';

const shares = { x: true, y: true } as const;
/** Where a logarithmic axis begins. */
const least = 0.0001;

/** Whether a predicted probability is what happens, by ranges of it. */
export function CalibrationReport({ bins }: { readonly bins: readonly CalibrationBin[] }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const [curves] = useState(() => {
    const drawn = bins.filter(({ meanPredicted, observed }) => meanPredicted >= least && observed >= least);
    return [
      {
        name: t('models.observed'),
        look: 'main' as const,
        isDotted: true,
        points: drawn.map(({ meanPredicted, observed }) => [meanPredicted, observed] as const),
      },
      { name: '', look: 'guide' as const, points: [[least, least] as const, [1, 1] as const] },
    ];
  });
  const percent = (share: number): string => formats.percent(share);
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
      <section>
        <h3 className="font-semibold">{t('models.calibration')}</h3>
        <CurveChart
          label={t('models.calibrationChart')}
          x={t('models.predicted')}
          y={t('models.observed')}
          curves={curves}
          scale="log"
          isShare={shares}
        />
      </section>
      <DataTable
        title={t('models.predicted')}
        columns={['p', t('models.events'), t('models.predicted'), t('models.observed'), '95 %']}
        rows={bins.map(({ from, to, events, meanPredicted, observed, interval }) => [
          `${percent(from)} – ${percent(to)}`,
          formats.number(events),
          percent(meanPredicted),
          percent(observed),
          `${percent(interval.low)} – ${percent(interval.high)}`,
        ])}
      />
    </div>
  );
}

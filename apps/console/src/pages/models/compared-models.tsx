import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelComparison } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { CurveChart } from './curve-chart.tsx';
import { DataTable } from './data-table.tsx';

const shares = { x: true, y: true } as const;

/** The trained model beside that of the active policy, on the same events. */
export function ComparedModels({ comparison }: { readonly comparison: ModelComparison }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { champion, challenger, agreement, fromMs, toMs, trainedToMs } = comparison;
  const day = (atMs: number): string => formats.day(new Date(atMs).toISOString());
  const number = (value: number | undefined): string => (value === undefined ? '–' : formats.number(value));
  const counted = ({ events, frauds }: { readonly events: number; readonly frauds: number }): string =>
    `${formats.number(events)} (${formats.number(frauds)})`;
  const [curves] = useState(() =>
    ([challenger, champion] as const).map(({ curve }, at) => ({
      name: t(at === 0 ? 'models.challenger' : 'models.champion'),
      look: at === 0 ? ('main' as const) : ('other' as const),
      points: curve.map(({ recall, precision }) => [recall, precision] as const),
    })),
  );
  return (
    <div className="flex flex-col gap-6">
      {trainedToMs === undefined ? null : (
        <p className="rounded-md bg-warn-wash px-3 py-2 text-warn">{t('models.seen', { day: day(trainedToMs) })}</p>
      )}
      <DataTable
        title={t('models.compared')}
        hint={`${day(fromMs)} – ${day(toMs)}`}
        columns={[
          t('models.model'),
          t('models.events'),
          t('models.frauds'),
          t('models.areaUnderRoc'),
          t('models.averagePrecision'),
        ]}
        rows={([challenger, champion] as const).map((one, at) => [
          t(at === 0 ? 'models.challenger' : 'models.champion'),
          formats.number(one.events),
          formats.number(one.frauds),
          number(one.areaUnderRoc),
          number(one.averagePrecision),
        ])}
      />
      <CurveChart
        label={t('models.precisionRecallChart')}
        x={t('models.found')}
        y={t('models.precision')}
        curves={curves}
        isShare={shares}
      />
      <DataTable
        title={t('models.agreement')}
        hint={t('models.agreementHint')}
        columns={[t('models.alertsADay'), t('models.both'), t('models.challengerOnly'), t('models.championOnly')]}
        rows={agreement.map(({ alertsADay, both, challengerOnly, championOnly }) => [
          formats.number(alertsADay),
          counted(both),
          counted(challengerOnly),
          counted(championOnly),
        ])}
      />
    </div>
  );
}

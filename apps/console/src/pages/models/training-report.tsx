import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelCard, ModelReport, ModelSegment } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { CalibrationReport } from './calibration-report.tsx';
import { CostReport } from './cost-report.tsx';
import { CurveChart } from './curve-chart.tsx';
import { DataTable } from './data-table.tsx';
import { ThresholdReport } from './threshold-report.tsx';

interface TrainingReportProps {
  readonly report: ModelReport;
  readonly card: ModelCard;
}

/** What a trained model is worth. */
export function TrainingReport({ report, card }: TrainingReportProps): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <Heading report={report} card={card} />
      <ThresholdReport report={report} />
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
        <Curves report={report} />
      </div>
      <CostReport report={report} />
      <CalibrationReport bins={report.calibration} />
      <Segments segments={report.segments} />
      <Inputs card={card} />
      <Weeks card={card} />
      <p className="font-mono text-xs break-all text-soft">
        {t('models.file')} SHA-256 {card.sha256}
      </p>
    </>
  );
}

function Heading({ report, card }: TrainingReportProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { data, labels } = card;
  const day = (atMs: number): string => formats.day(new Date(atMs).toISOString());
  const figures = [
    [t('models.areaUnderRoc'), number(report.areaUnderRoc)],
    [t('models.averagePrecision'), number(report.averagePrecision)],
  ] as const;
  function number(value: number | undefined): string {
    return value === undefined ? '–' : formats.number(value);
  }
  return (
    <section>
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-soft">{name}</dt>
            <dd className="text-2xl font-semibold">{value}</dd>
          </div>
        ))}
        <div>
          <dt className="text-xs text-soft">{t('models.fit')}</dt>
          <dd>
            {t('models.eventsUsed', {
              frauds: formats.number(labels.frauds),
              kept: formats.number(labels.keptLegitimate),
              legitimate: formats.number(labels.legitimate),
            })}
            <span className="block text-xs text-soft">
              {day(data.fromMs)} – {day(data.toMs)}
            </span>
          </dd>
        </div>
      </dl>
      <p className="mt-1 text-xs text-soft">
        {t('models.whatFor', {
          days: formats.number(report.days),
          events: formats.number(report.events),
          frauds: formats.number(report.frauds),
        })}
      </p>
    </section>
  );
}

const shares = { x: true, y: true } as const;

function Curves({ report: { curve, events, frauds } }: Pick<TrainingReportProps, 'report'>): ReactElement {
  const { t } = useTranslation();
  // A chart is drawn again when its curves are another object.
  const [curves] = useState(() => ({
    roc: [
      {
        name: t('models.roc'),
        look: 'main' as const,
        points: [[0, 0] as const, ...curve.map(({ legitimateShare, recall }) => [legitimateShare, recall] as const)],
      },
      { name: '', look: 'guide' as const, points: [[0, 0] as const, [1, 1] as const] },
    ],
    precision: [
      {
        name: t('models.precisionRecall'),
        look: 'main' as const,
        points: curve.map(({ recall, precision }) => [recall, precision] as const),
      },
      {
        name: '',
        look: 'guide' as const,
        points: [[0, frauds / events] as const, [1, frauds / events] as const],
      },
    ],
  }));
  return (
    <>
      <section>
        <h3 className="font-semibold">{t('models.roc')}</h3>
        <CurveChart
          label={t('models.rocChart')}
          x={t('models.goodHit')}
          y={t('models.found')}
          curves={curves.roc}
          isShare={shares}
        />
      </section>
      <section>
        <h3 className="font-semibold">{t('models.precisionRecall')}</h3>
        <CurveChart
          label={t('models.precisionRecallChart')}
          x={t('models.found')}
          y={t('models.precision')}
          curves={curves.precision}
          isShare={shares}
        />
      </section>
    </>
  );
}

function Segments({ segments }: { readonly segments: readonly ModelSegment[] }): ReactElement | null {
  const { t } = useTranslation();
  const formats = useFormats();
  if (segments.length === 0) return null;
  const nameOf = ({ by, name }: ModelSegment): string => {
    if (by === 'channel') return t('models.segmentChannel', { name });
    if (by === 'amount') return t('models.segmentAmount', { name: formats.amount(name) });
    if (by === 'currency') return name;
    return t(name === 'new' ? 'models.segmentClientNew' : 'models.segmentClientKnown');
  };
  return (
    <DataTable
      title={t('models.segments')}
      columns={[
        t('models.segment'),
        t('models.events'),
        t('models.frauds'),
        t('models.areaUnderRoc'),
        t('models.averagePrecision'),
        t('models.predicted'),
        t('models.observed'),
      ]}
      rows={segments.map((one) => [
        nameOf(one),
        formats.number(one.events),
        formats.number(one.frauds),
        one.areaUnderRoc === undefined ? '–' : formats.number(one.areaUnderRoc),
        one.averagePrecision === undefined ? '–' : formats.number(one.averagePrecision),
        formats.percent(one.meanPredicted),
        formats.percent(one.observed),
      ])}
    />
  );
}

function Inputs({ card: { inputs } }: Pick<TrainingReportProps, 'card'>): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const directions = { 0: 'either', 1: 'up', [-1]: 'down' } as const;
  return (
    <DataTable
      title={t('models.inputs')}
      columns={[t('models.input'), t('models.importance'), t('models.moreMay')]}
      rows={inputs
        .toSorted((a, b) => b.importance - a.importance)
        .map(({ name, importance, monotone }) => [
          name,
          formats.percent(importance),
          t(`models.${directions[monotone as 0 | 1 | -1]}`),
        ])}
    />
  );
}

function Weeks({ card: { folds } }: Pick<TrainingReportProps, 'card'>): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <DataTable
      title={t('models.weeks')}
      columns={[
        t('models.week'),
        t('models.events'),
        t('models.frauds'),
        t('models.areaUnderRoc'),
        t('models.averagePrecision'),
        t('models.predicted'),
        t('models.observed'),
      ]}
      rows={folds.map((fold) => [
        formats.day(new Date(fold.testFromMs).toISOString()),
        formats.number(fold.events),
        formats.number(fold.frauds),
        fold.areaUnderRoc === undefined ? '–' : formats.number(fold.areaUnderRoc),
        fold.averagePrecision === undefined ? '–' : formats.number(fold.averagePrecision),
        formats.percent(fold.meanPredicted),
        fold.events === 0 ? '–' : formats.percent(fold.frauds / fold.events),
      ])}
    />
  );
}

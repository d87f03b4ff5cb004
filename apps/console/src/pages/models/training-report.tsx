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

/** What a model is worth on events of one kind, or of one week. */
type Measured = Pick<ModelSegment, 'events' | 'frauds' | 'areaUnderRoc' | 'averagePrecision' | 'meanPredicted'>;

interface MeasuredTableProps {
  readonly title: string;
  /** What a row is. */
  readonly of: string;
  readonly rows: readonly { readonly name: string; readonly measured: Measured }[];
}

function MeasuredTable({ title, of, rows }: MeasuredTableProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const number = (value: number | undefined): string => (value === undefined ? '–' : formats.number(value));
  return (
    <DataTable
      title={title}
      columns={[
        of,
        t('models.events'),
        t('models.frauds'),
        t('models.areaUnderRoc'),
        t('models.averagePrecision'),
        t('models.predicted'),
        t('models.observed'),
      ]}
      rows={rows.map(({ name, measured: { events, frauds, areaUnderRoc, averagePrecision, meanPredicted } }) => [
        name,
        formats.number(events),
        formats.number(frauds),
        number(areaUnderRoc),
        number(averagePrecision),
        formats.percent(meanPredicted),
        events === 0 ? '–' : formats.percent(frauds / events),
      ])}
    />
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
  const rows = segments.map((measured) => ({ name: nameOf(measured), measured }));
  return <MeasuredTable title={t('models.segments')} of={t('models.segment')} rows={rows} />;
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
  const rows = folds.map((measured) => ({
    name: formats.day(new Date(measured.testFromMs).toISOString()),
    measured,
  }));
  return <MeasuredTable title={t('models.weeks')} of={t('models.week')} rows={rows} />;
}

import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ByAlerts, ByLegitimate, ModelReport } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Choice, Field } from '../../parts/field.tsx';

const firstBudget = 40;
const firstShare = 1_000;

/** A threshold for what a team can work, and one for what clients can bear, with what to expect of each. */
export function ThresholdReport({ report }: { readonly report: ModelReport }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { byAlerts, byLegitimate } = report;
  const [budget, setBudget] = useState(firstBudget);
  const [oneIn, setOneIn] = useState(
    () => (byLegitimate.find((one) => one.oneIn === firstShare) ?? byLegitimate.at(-1))?.oneIn,
  );
  const ofBudget = byAlerts.findLast(({ atMost }) => atMost <= budget);
  const ofShare = byLegitimate.find((one) => one.oneIn === oneIn);
  return (
    <section aria-label={t('models.threshold')}>
      <h3 className="font-semibold">{t('models.threshold')}</h3>
      <p className="mb-2 text-xs text-soft">{t('models.thresholdHint')}</p>
      <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
        <div className="flex flex-col gap-2 rounded-md border border-line p-3">
          <Field
            label={t('models.budget')}
            type="number"
            min={1}
            value={Number.isNaN(budget) ? '' : budget}
            onChange={({ target }) => setBudget(target.valueAsNumber)}
          />
          <Chosen choice={ofBudget} />
        </div>
        <div className="flex flex-col gap-2 rounded-md border border-line p-3">
          <Choice
            label={t('models.oneInChoice')}
            value={String(oneIn ?? '')}
            onChange={({ target }) => setOneIn(Number(target.value))}
            options={byLegitimate.map((one) => ({
              value: String(one.oneIn),
              label: t('models.oneIn', { count: one.oneIn, replace: { count: formats.number(one.oneIn) } }),
            }))}
          />
          <Chosen choice={ofShare} />
        </div>
      </div>
    </section>
  );
}

function Chosen({ choice }: { readonly choice: ByAlerts | ByLegitimate | undefined }): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  if (choice === undefined) return <p className="text-soft">{t('models.unreached')}</p>;
  const { p, score, alertsADay, precision, precisionInterval, recall, recallInterval } = choice;
  const within = (share: number, { low, high }: typeof precisionInterval): string =>
    `${formats.percent(share)} (${formats.percent(low)} – ${formats.percent(high)})`;
  const rows = [
    [t('models.alertsADay'), formats.tenths(alertsADay)],
    [t('models.precision'), within(precision, precisionInterval)],
    [t('models.found'), within(recall, recallInterval)],
  ] as const;
  return (
    <>
      <p className="text-2xl font-semibold" role="status">
        {score === undefined ? '' : `${t('models.score')} ${formats.number(score)}`}{' '}
        <span className="text-sm font-normal text-soft">p {formats.number(p)}</span>
      </p>
      <dl className="flex flex-col gap-1">
        {rows.map(([name, value]) => (
          <div key={name} className="flex items-baseline gap-2">
            <dt className="text-soft">{name}</dt>
            <dd className="ml-auto text-right font-medium tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

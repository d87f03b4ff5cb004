import { type ReactElement, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelReport } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Field } from '../../parts/field.tsx';
import { CurveChart } from './curve-chart.tsx';

const firstCost = 5;

/** What each threshold costs, if an alert costs its work and a fraud that is not alerted its amount. */
export function CostReport({ report }: { readonly report: ModelReport }): ReactElement | null {
  const { t } = useTranslation();
  const formats = useFormats();
  const [perAlert, setPerAlert] = useState(firstCost);
  const { curve, currency, days } = report;
  const work = Number.isNaN(perAlert) ? 0 : perAlert;
  const lowest = curve.toSorted((a, b) => a.missed + a.alerts * work - (b.missed + b.alerts * work))[0];
  const curves = useMemo(() => {
    // Further down nearly everything is alerted, and nothing else can be seen beside its work.
    const shown = curve.filter(({ alerts }) => alerts <= Math.max(50, 4 * (lowest?.alerts ?? 0)));
    return [
      {
        name: t('models.costWithWork'),
        look: 'main' as const,
        points: shown.map(({ alerts, missed }) => [alerts / days, (missed + alerts * work) / days] as const),
      },
      {
        name: t('models.missedFraud'),
        look: 'other' as const,
        points: shown.map(({ alerts, missed }) => [alerts / days, missed / days] as const),
      },
    ];
  }, [curve, days, work, lowest?.alerts, t]);
  if (currency === undefined || lowest === undefined) return null;
  return (
    <section>
      <h3 className="font-semibold">{t('models.cost')}</h3>
      <Field
        label={`${t('models.alertCost')} (${currency})`}
        type="number"
        min={0}
        step="any"
        className="my-2 w-56"
        value={Number.isNaN(perAlert) ? '' : perAlert}
        onChange={({ target }) => setPerAlert(target.valueAsNumber)}
      />
      <p role="status">
        {t('models.lowest', {
          alerts: formats.number(Math.round((lowest.alerts / days) * 10) / 10),
          score: lowest.score === undefined ? `p ${formats.number(lowest.p)}` : formats.number(lowest.score),
        })}
      </p>
      <CurveChart label={t('models.costChart')} x={t('models.alertsADay')} y={currency} curves={curves} />
    </section>
  );
}

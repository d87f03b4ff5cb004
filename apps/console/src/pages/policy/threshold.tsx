import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { VariedOutcome, VariedResult } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/field.tsx';
import { ThresholdChart } from './threshold-chart.tsx';
import { currenciesOf, moneyOf, nearestTo } from './threshold-figures.ts';

interface ThresholdProps {
  readonly varied: VariedResult;
  /** Writes a value into the draft; absent where nothing may be written. */
  readonly onUse?: ((param: string, value: string) => void) | undefined;
}

/** Chooses the value of a parameter by what its rules would have caught with each. */
export function Threshold({ varied, onUse }: ThresholdProps): ReactElement {
  const { t } = useTranslation();
  const { param, values, candidate } = varied;
  const [chosen, setChosen] = useState(() => nearestTo(varied, Number(candidate)));
  const currencies = currenciesOf(varied);
  const [currency, setCurrency] = useState(currencies[0]);
  const one = values[chosen]!;
  return (
    <section aria-label={t('threshold.title', { param })} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="font-semibold">{t('threshold.title', { param })}</h3>
        <Legend />
        {currencies.length > 1 ? (
          <Choice
            bare
            className="ml-auto"
            label={t('backtest.currency')}
            value={currency ?? ''}
            onChange={({ target }) => setCurrency(target.value)}
            options={currencies.map((code) => ({ value: code, label: code === '' ? '–' : code }))}
          />
        ) : null}
      </div>
      <div className="grid gap-4 md:grid-cols-[minmax(0,1fr)_15rem]">
        <div className="min-w-0">
          <ThresholdChart varied={varied} currency={currency} chosen={chosen} onChoose={setChosen} />
          <Slider varied={varied} chosen={chosen} onChoose={setChosen} />
          <DependentRules rules={varied.rules} />
        </div>
        <Chosen one={one} varied={varied} currency={currency}>
          {onUse === undefined ? null : (
            <Button look="main" disabled={one.value === candidate} onClick={() => onUse(param, one.value)}>
              {t('threshold.use')}
            </Button>
          )}
        </Chosen>
      </div>
      <ValueTable varied={varied} currency={currency} chosen={chosen} />
    </section>
  );
}

function DependentRules({ rules }: Pick<VariedResult, 'rules'>): ReactElement {
  const { t } = useTranslation();
  const text =
    rules.length === 0
      ? t('threshold.noRules')
      : t('threshold.rules', { count: rules.length, reasons: rules.join(', ') });
  return <p className="px-6 text-xs text-soft">{text}</p>;
}

function Legend(): ReactElement {
  const { t } = useTranslation();
  return (
    <ul className="flex flex-wrap gap-x-4 text-xs text-soft">
      <li className="flex items-center gap-1.5">
        <span aria-hidden className="h-0 w-5 border-t-2 border-fence" />
        {t('backtest.caught')}
      </li>
      <li className="flex items-center gap-1.5">
        <span aria-hidden className="h-0 w-5 border-t-2 border-dashed border-warn" />
        {t('threshold.goodHit')}
      </li>
    </ul>
  );
}

interface SliderProps {
  readonly varied: VariedResult;
  readonly chosen: number;
  readonly onChoose: (at: number) => void;
}

/** The same choice by keyboard. It moves from value to value, aligned with the chart. */
function Slider({ varied, chosen, onChoose }: SliderProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { param, values } = varied;
  const { value, matches } = values[chosen]!;
  const spoken = t('threshold.spoken', {
    value: formats.amount(value),
    caught: formats.number(matches.fraud),
    goodHit: formats.number(matches.legitimate),
  });
  return (
    // Moving it loses nothing: the dialog around need not ask before it closes.
    <div className="mr-4 ml-14" onInput={(event) => event.stopPropagation()}>
      <input
        type="range"
        min={0}
        max={values.length - 1}
        step={1}
        value={chosen}
        aria-label={t('threshold.slider', { param })}
        aria-valuetext={spoken}
        onChange={({ target }) => onChoose(target.valueAsNumber)}
        className="h-6 w-full cursor-ew-resize accent-fence"
      />
    </div>
  );
}

interface ChosenProps {
  readonly one: VariedOutcome;
  readonly varied: VariedResult;
  readonly currency: string | undefined;
  readonly children: ReactElement | null;
}

/** The figures of the chosen value. */
function Chosen({ one, varied, currency, children }: ChosenProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { matches, flagged, missed, recall, precision, toHold } = one;
  const { param, unit, candidate, live } = varied;
  const amounts = (of: 'fraud' | 'legitimate', sums: VariedOutcome['money']): string =>
    currency === undefined ? '–' : formats.amount(moneyOf(sums, currency)[of], currency);
  const heldSum = toHold.find((sum) => sum.currency === currency);
  const ofRules = [
    [t('backtest.caught'), formats.number(matches.fraud), amounts('fraud', matches.money)],
    [t('threshold.goodHit'), formats.number(matches.legitimate), amounts('legitimate', matches.money)],
    [t('backtest.matches'), formats.number(matches.events), undefined],
  ] as const;
  const ofPolicy = [
    [t('backtest.flagged'), formats.number(flagged.events), undefined],
    [t('threshold.missed'), formats.number(missed.events), amounts('fraud', missed.money)],
    [t('backtest.precision'), rate(precision), undefined],
    [t('threshold.recall'), rate(recall), undefined],
  ] as const;
  function rate(share: number | undefined): string {
    return share === undefined ? '–' : formats.percent(share);
  }
  return (
    <div className="flex flex-col gap-3 rounded-md border border-line p-3">
      <div>
        <p className="font-mono text-xs text-soft">{param}</p>
        <p className="text-2xl font-semibold" data-value={one.value}>
          {formats.amount(one.value)} {unit === undefined ? null : <span className="text-sm text-soft">{unit}</span>}
        </p>
        <p className="text-xs text-soft">
          {live === undefined ? t('threshold.notLive') : t('threshold.liveIs', { value: formats.amount(live) })}
          {live === candidate ? null : ` ${t('threshold.draftIs', { value: formats.amount(candidate) })}`}
        </p>
      </div>
      <Figures rows={ofRules} />
      <section className="border-t border-line pt-2">
        <h4 className="eyebrow mb-1">{t('threshold.policy')}</h4>
        <Figures rows={ofPolicy} />
        {heldSum === undefined ? null : (
          <p className="mt-1.5 text-xs text-soft">
            {t('threshold.held', {
              fraud: formats.amount(heldSum.fraud, currency),
              others: formats.amount(heldSum.legitimate, currency),
              unlabelled: formats.amount(heldSum.unlabelled, currency),
            })}
          </p>
        )}
      </section>
      {children}
    </div>
  );
}

type FigureRow = readonly [name: string, count: string, amount: string | undefined];

function Figures({ rows }: { readonly rows: readonly FigureRow[] }): ReactElement {
  return (
    <dl className="flex flex-col gap-1 text-sm">
      {rows.map(([name, count, amount]) => (
        <div key={name} className="flex items-baseline gap-2">
          <dt className="text-soft">{name}</dt>
          <dd className="ml-auto text-right font-medium">
            {count}
            {amount === undefined ? null : <span className="block text-xs font-normal text-soft">{amount}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ValueTableProps {
  readonly varied: VariedResult;
  readonly currency: string | undefined;
  readonly chosen: number;
}

/** The chart as text. */
function ValueTable({ varied, currency, chosen }: ValueTableProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  return (
    <details>
      <summary className="cursor-pointer py-1 text-xs text-soft">{t('threshold.asTable')}</summary>
      <div tabIndex={0} className="overflow-x-auto">
        <table className="w-full text-right">
          <caption className="sr-only">{t('threshold.title', { param: varied.param })}</caption>
          <thead>
            <tr className="border-b border-line text-xs text-soft">
              <th className="py-1 text-left font-medium">{t('threshold.value')}</th>
              <th className="font-medium">{t('backtest.matches')}</th>
              <th className="font-medium">{t('backtest.caught')}</th>
              <th className="font-medium">{t('threshold.goodHit')}</th>
              {currency === undefined ? null : (
                <>
                  <th className="font-medium">{t('threshold.moneyCaught', { currency })}</th>
                  <th className="font-medium">{t('threshold.moneyHit', { currency })}</th>
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {varied.values.map(({ value, matches }, at) => (
              <tr
                key={value}
                aria-current={at === chosen ? 'true' : undefined}
                className="border-b border-line aria-[current=true]:bg-fence-wash aria-[current=true]:font-medium"
              >
                <th scope="row" className="py-1 text-left font-normal">
                  {formats.amount(value)}
                  {value === varied.live ? ` (${t('threshold.liveMark')})` : ''}
                </th>
                <td>{formats.number(matches.events)}</td>
                <td>{formats.number(matches.fraud)}</td>
                <td>{formats.number(matches.legitimate)}</td>
                {currency === undefined ? null : (
                  <>
                    <td>{formats.amount(moneyOf(matches.money, currency).fraud)}</td>
                    <td>{formats.amount(moneyOf(matches.money, currency).legitimate)}</td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

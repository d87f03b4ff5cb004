import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { BacktestResult, MoneySums, RuleOutcome } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Badge } from '../../parts/badge.tsx';
import { BacktestExamples } from './backtest-examples.tsx';
import { UnmatchedRules } from './unmatched-rules.tsx';

interface BacktestOutcomeProps {
  readonly id: number;
  readonly result: BacktestResult;
  /** Space for two figures per row but no table. */
  readonly isNarrow?: boolean;
}

/**
 * Result of a backtest compared with the live policy, in total and by rule: labelled fraud that it catches against
 * false positives.
 */
export function BacktestOutcome({ id, result, isNarrow = false }: BacktestOutcomeProps): ReactElement {
  const { candidate, live, notes } = result;
  return (
    <div className="flex flex-col gap-4 text-sm">
      <Figures result={result} isNarrow={isNarrow} />
      <RanAsLive reasons={result.asLive ?? []} />
      <Money sums={candidate.money} />
      <RuleTable candidate={candidate.rules} live={live?.rules ?? []} isNarrow={isNarrow} />
      <UnmatchedRules rules={result.unmatched} />
      {notes.map((note) => (
        <p key={note} className="text-xs text-soft">
          {note}
        </p>
      ))}
      <BacktestExamples id={id} isNarrow={isNarrow} />
    </div>
  );
}

function Figures({ result, isNarrow }: Omit<BacktestOutcomeProps, 'id'>): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { candidate, live, changes, events } = result;
  const ofLive = (shown: string | undefined): string => (shown === undefined ? '' : t('backtest.ofLive', { shown }));
  const caught = (flagged: number): string =>
    t('backtest.caughtOf', { count: flagged, of: formats.number(events.fraud) });
  const figures = [
    {
      name: t('backtest.flagged'),
      value: formats.number(candidate.flagged.events),
      hint: ofLive(live && formats.number(live.flagged.events)),
    },
    {
      name: t('backtest.caught'),
      value: caught(candidate.flagged.fraud),
      hint: ofLive(live && caught(live.flagged.fraud)),
    },
    {
      name: t('backtest.goodHit'),
      value: formats.number(candidate.legitimateClients),
      hint: ofLive(live && formats.number(live.legitimateClients)),
    },
    {
      name: t('backtest.events'),
      value: formats.number(events.decided),
      hint: t('backtest.labelled', { fraud: events.fraud, legitimate: events.legitimate }),
    },
    {
      name: t('backtest.newly'),
      value: formats.number(changes?.newlyFlagged.events ?? 0),
      hint: t('backtest.labelled', {
        fraud: changes?.newlyFlagged.fraud ?? 0,
        legitimate: changes?.newlyFlagged.legitimate ?? 0,
      }),
    },
    {
      name: t('backtest.noLonger'),
      value: formats.number(changes?.noLongerFlagged.events ?? 0),
      hint: t('backtest.labelled', {
        fraud: changes?.noLongerFlagged.fraud ?? 0,
        legitimate: changes?.noLongerFlagged.legitimate ?? 0,
      }),
    },
  ];
  return (
    <dl
      className={`grid gap-px overflow-hidden rounded-md border border-line bg-line ${isNarrow === true ? 'grid-cols-2' : 'grid-cols-3'}`}
    >
      {figures.map(({ name, value, hint }) => (
        <div key={name} className="bg-card px-3 py-2">
          <dt className="eyebrow">{name}</dt>
          <dd className="text-lg font-semibold">{value}</dd>
          <dd className="text-xs text-soft">{hint}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Says that the figures include rules in shadow. */
function RanAsLive({ reasons }: { readonly reasons: readonly number[] }): ReactElement | null {
  const { t } = useTranslation();
  if (reasons.length === 0) return null;
  return <p className="text-soft">{t('tried.ranAsLive', { count: reasons.length, reasons: reasons.join(', ') })}</p>;
}

/** Amounts of flagged events by label. */
function Money({ sums }: { readonly sums: readonly MoneySums[] }): ReactElement | null {
  const { t } = useTranslation();
  const formats = useFormats();
  if (sums.length === 0) return null;
  return (
    <table className="w-full text-right">
      <caption className="eyebrow pb-1 text-left">{t('backtest.money')}</caption>
      <thead>
        <tr className="border-b border-line text-xs text-soft">
          <th className="text-left font-medium">
            <span className="sr-only">{t('backtest.currency')}</span>
          </th>
          {(['fraud', 'legitimate', 'unlabelled'] as const).map((label) => (
            <th key={label} className="py-1 font-medium">
              {t(`backtest.sums.${label}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sums.map(({ currency, fraud, legitimate, unlabelled }) => (
          <tr key={currency} className="border-b border-line">
            <td className="py-1 text-left text-soft">{currency === '' ? '–' : currency}</td>
            <td className="text-bad">{formats.amount(fraud)}</td>
            <td>{formats.amount(legitimate)}</td>
            <td>{formats.amount(unlabelled)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface RuleTableProps {
  readonly candidate: readonly RuleOutcome[];
  readonly live: readonly RuleOutcome[];
  readonly isNarrow: boolean;
}

/** Matching rules, live and in shadow, compared with the active version. */
function RuleTable({ candidate, live, isNarrow }: RuleTableProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const before = new Map(live.map((rule) => [rule.reason, rule.matches.events]));
  const isAsBefore = ({ reason, matches }: RuleOutcome): boolean => matches.events === (before.get(reason) ?? 0);
  const shown = candidate
    .filter((rule) => rule.matches.events > 0 || (before.get(rule.reason) ?? 0) > 0)
    .toSorted((a, b) => Number(isAsBefore(a)) - Number(isAsBefore(b)));
  if (shown.length === 0) return <p className="text-soft">{t('backtest.noMatches')}</p>;
  return (
    <table className="w-full text-left">
      <thead>
        <tr className="eyebrow border-b border-line">
          <th className="py-1.5">{t('events.rule')}</th>
          <th className="pl-3 text-right">{t('backtest.matches')}</th>
          <th className="pl-3 text-right">{t('backtest.live')}</th>
          {isNarrow ? null : <th className="pl-3 text-right">{t('backtest.actions')}</th>}
          {isNarrow ? null : <th className="pl-3 text-right">{t('backtest.goodHit')}</th>}
          <th className="pl-3 text-right">{t('backtest.precision')}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ reason, name, mode, matches, actions, legitimateClients, precision }) => {
          const difference = matches.events - (before.get(reason) ?? 0);
          return (
            <tr key={reason} className="border-b border-line align-top">
              <td className="py-1.5" title={name}>
                <Badge tone={mode === 'shadow' ? 'watch' : 'plain'}>{reason}</Badge> {isNarrow ? null : name}
              </td>
              <td className="py-1.5 pl-3 text-right font-medium">{formats.number(matches.events)}</td>
              <td
                className={`py-1.5 pl-3 text-right whitespace-nowrap ${difference === 0 ? 'text-soft' : 'font-medium text-warn'}`}
              >
                {formats.number(before.get(reason) ?? 0)}{' '}
                {difference === 0 ? '' : `(${difference > 0 ? '+' : ''}${difference})`}
              </td>
              {isNarrow ? null : <td className="py-1.5 pl-3 text-right">{formats.number(actions)}</td>}
              {isNarrow ? null : <td className="py-1.5 pl-3 text-right">{formats.number(legitimateClients)}</td>}
              <td className="py-1.5 pl-3 text-right">{precision === undefined ? '–' : formats.percent(precision)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

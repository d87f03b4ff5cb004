import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { BacktestResult, RuleOutcome } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Badge } from '../../parts/badge.tsx';
import { BacktestExamples } from './backtest-examples.tsx';

interface BacktestOutcomeProps {
  readonly id: number;
  readonly result: BacktestResult;
}

/** What the policy would have done: against the live one, as a whole and rule by rule. */
export function BacktestOutcome({ id, result }: BacktestOutcomeProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { candidate, live, changes, events } = result;
  const figures = [
    [
      t('backtest.events'),
      formats.number(events.decided),
      t('backtest.labelled', { fraud: events.fraud, legitimate: events.legitimate }),
    ],
    [
      t('backtest.flagged'),
      formats.number(candidate.flagged.events),
      live === undefined ? '' : t('backtest.liveFlagged', { count: live.flagged.events }),
    ],
    [
      t('backtest.newly'),
      formats.number(changes?.newlyFlagged.events ?? 0),
      t('backtest.ofThem', {
        fraud: changes?.newlyFlagged.fraud ?? 0,
        legitimate: changes?.newlyFlagged.legitimate ?? 0,
      }),
    ],
    [
      t('backtest.noLonger'),
      formats.number(changes?.noLongerFlagged.events ?? 0),
      t('backtest.ofThem', {
        fraud: changes?.noLongerFlagged.fraud ?? 0,
        legitimate: changes?.noLongerFlagged.legitimate ?? 0,
      }),
    ],
  ] as const;
  return (
    <div
      className="flex max-h-[75vh] flex-col gap-4 overflow-y-auto text-sm"
      tabIndex={0}
      role="group"
      aria-label={t('backtest.title')}
    >
      <dl className="grid grid-cols-4 rounded-md border border-line">
        {figures.map(([name, value, hint]) => (
          <div key={name} className="border-r border-line px-3 py-2 last:border-0">
            <dt className="eyebrow">{name}</dt>
            <dd className="text-xl font-semibold">{value}</dd>
            <dd className="text-xs text-soft">{hint}</dd>
          </div>
        ))}
      </dl>
      <RuleTable candidate={candidate.rules} live={live?.rules ?? []} />
      {result.notes.map((note) => (
        <p key={note} className="text-xs text-soft">
          {note}
        </p>
      ))}
      <BacktestExamples id={id} />
    </div>
  );
}

interface RuleTableProps {
  readonly candidate: readonly RuleOutcome[];
  readonly live: readonly RuleOutcome[];
}

function RuleTable({ candidate, live }: RuleTableProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const before = new Map(live.map((rule) => [rule.reason, rule.matches.events]));
  const shown = candidate.filter((rule) => rule.matches.events > 0 || (before.get(rule.reason) ?? 0) > 0);
  if (shown.length === 0) return <p className="text-soft">{t('backtest.noMatches')}</p>;
  return (
    <table className="w-full text-left">
      <thead>
        <tr className="eyebrow border-b border-line">
          <th className="py-1.5">{t('events.rule')}</th>
          <th className="text-right">{t('backtest.matches')}</th>
          <th className="text-right">{t('backtest.live')}</th>
          <th className="text-right">{t('backtest.actions')}</th>
          <th className="text-right">{t('backtest.precision')}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ reason, name, mode, matches, actions, precision }) => {
          const difference = matches.events - (before.get(reason) ?? 0);
          return (
            <tr key={reason} className="border-b border-line">
              <td className="py-1.5">
                <Badge tone={mode === 'shadow' ? 'watch' : 'plain'}>{reason}</Badge> {name}
              </td>
              <td className="text-right font-medium">{formats.number(matches.events)}</td>
              <td className={`text-right ${difference === 0 ? 'text-soft' : 'font-medium text-warn'}`}>
                {formats.number(before.get(reason) ?? 0)}{' '}
                {difference === 0 ? '' : `(${difference > 0 ? '+' : ''}${difference})`}
              </td>
              <td className="text-right">{formats.number(actions)}</td>
              <td className="text-right">{precision === undefined ? '–' : formats.percent(precision)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { RuleDay, RuleHistories, RuleHistory } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { type Mark, precisionOf, RuleChart } from './rule-chart.tsx';

interface RuleDetailProps {
  readonly name: string;
  readonly history: RuleHistory;
  readonly range: Pick<RuleHistories, 'from' | 'to'>;
  readonly marks: readonly Mark[];
}

/** A rule over time: its matches by day, its precision by week, and its figures by version. */
export function RuleDetail({ name, history, range, marks }: RuleDetailProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const weeks = byWeek(history.days);
  const changed = new Set(marks.map(({ version }) => version));
  const percent = (of: Pick<RuleDay, 'fraud' | 'legitimate'>): string => {
    const share = precisionOf(of);
    return share === undefined ? '–' : formats.percent(share);
  };
  return (
    <div className="flex flex-col gap-3 bg-sunken px-4 py-3">
      <div>
        <RuleChart label={t('ruleHistory.chartOf', { name })} {...range} days={history.days} marks={marks} />
        <p className="mt-1 flex flex-wrap justify-between gap-x-4 text-xs text-soft">
          <span>{formats.day(range.from)}</span>
          <span className="flex flex-wrap gap-x-4">
            <Key look="bg-fence">{t('ruleHealth.fired')}</Key>
            <Key look="bg-watch">{t('ruleHealth.shadow')}</Key>
            {marks.length === 0 ? null : <Key look="bg-bad">{t('ruleHistory.marks')}</Key>}
          </span>
          <span>{formats.day(range.to)}</span>
        </p>
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <Figures
          title={t('ruleHistory.byWeek')}
          columns={[
            t('ruleHistory.weekOf'),
            t('ruleHistory.matches'),
            t('ruleHistory.labelled'),
            t('ruleHealth.precision'),
          ]}
          rows={weeks.map((week) => [
            formats.day(week.at),
            formats.number(week.fired + week.shadow),
            formats.number(week.fraud + week.legitimate),
            percent(week),
          ])}
        />
        <Figures
          title={t('ruleHistory.byVersion')}
          columns={[
            t('ruleHistory.version'),
            t('ruleHealth.fired'),
            t('ruleHealth.shadow'),
            t('ruleHealth.heldBack'),
            t('ruleHealth.precision'),
          ]}
          rows={history.versions.map((one) => [
            changed.has(one.version) ? t('ruleHistory.changedIn', { version: one.version }) : String(one.version),
            formats.number(one.fired),
            formats.number(one.shadow),
            formats.number(one.suppressed),
            percent(one),
          ])}
        />
      </div>
    </div>
  );
}

function Key({ look, children }: { readonly look: string; readonly children: string }): ReactElement {
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden className={`size-2 rounded-sm ${look}`} />
      {children}
    </span>
  );
}

interface FiguresProps {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function Figures({ title, columns, rows }: FiguresProps): ReactElement {
  const { t } = useTranslation();
  return (
    <table className="w-full self-start text-right text-xs">
      <caption className="eyebrow pb-1 text-left">{title}</caption>
      <thead>
        <tr className="border-b border-line-strong text-soft">
          {columns.map((column) => (
            <th key={column} className="py-1 font-medium first:text-left">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {rows.length === 0 ? (
          <tr>
            <td colSpan={columns.length} className="py-1 text-left text-soft">
              {t('ruleHistory.none')}
            </td>
          </tr>
        ) : null}
        {rows.map((row) => (
          <tr key={row[0]}>
            {row.map((value, at) => (
              <td key={columns[at]} className="py-1 first:text-left">
                {value}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const weekMs = 7 * 86_400_000;

/** Days together by seven, newest first: a day has too few labels for a share. */
function byWeek(days: readonly RuleDay[]): readonly RuleDay[] {
  const [first] = days;
  if (first === undefined) return [];
  const weekOf = ({ at }: RuleDay): number => Math.floor((Date.parse(at) - Date.parse(first.at)) / weekMs);
  const sum = (of: readonly RuleDay[], pick: (day: RuleDay) => number): number =>
    of.reduce((total, day) => total + pick(day), 0);
  return [...Map.groupBy(days, weekOf).values()]
    .map((week) => ({
      at: week[0]!.at,
      fired: sum(week, ({ fired }) => fired),
      shadow: sum(week, ({ shadow }) => shadow),
      fraud: sum(week, ({ fraud }) => fraud),
      legitimate: sum(week, ({ legitimate }) => legitimate),
    }))
    .toReversed();
}

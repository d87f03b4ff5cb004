import type { Rule } from '@ringfence/policy';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { RuleDay } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { Panel } from '../../parts/panel.tsx';
import { precisionOf } from '../policy/rule-chart.tsx';
import { DataTable } from './data-table.tsx';

const everyMs = 60_000;
const weekMs = 604_800_000;
const weeksShown = 6;

interface RulePrecisionProps {
  readonly model: string;
  /** Those that read it. */
  readonly rules: readonly Rule[];
}

/** How often the rules about a model were right, by week, as far as labels tell; also of those in shadow. */
export function RulePrecision({ model, rules }: RulePrecisionProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const history = useQuery(asking('readRuleHistory', { params: { workspace }, query: {} }, everyMs));
  return (
    <Panel title={t('models.precisionOf', { name: model })} hint={t('models.precisionHint')}>
      <div className="text-sm">
        <Asked of={history}>
          {({ items, to }) => {
            const ends = Array.from({ length: weeksShown }, (_, at) => Date.parse(to) - at * weekMs).toReversed();
            const cell = (days: readonly RuleDay[], endMs: number): string => {
              const own = days.filter(({ at }) => Date.parse(at) >= endMs - weekMs && Date.parse(at) < endMs);
              const fraud = own.reduce((sum, day) => sum + day.fraud, 0);
              const legitimate = own.reduce((sum, day) => sum + day.legitimate, 0);
              const precision = precisionOf({ fraud, legitimate });
              return precision === undefined
                ? '–'
                : `${formats.percent(precision)} (${formats.number(fraud + legitimate)})`;
            };
            return (
              <DataTable
                title={t('models.byWeek')}
                columns={[
                  t('models.rule'),
                  ...ends.map((endMs) => formats.day(new Date(endMs - weekMs).toISOString())),
                ]}
                rows={rules.map(({ reason, name }) => {
                  const days = items.find((one) => one.reason === reason)?.days ?? [];
                  return [`${reason} ${name}`, ...ends.map((endMs) => cell(days, endMs))];
                })}
              />
            );
          }}
        </Asked>
      </div>
    </Panel>
  );
}

import { loadPolicy, type PolicyFile } from '@ringfence/policy';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { type ReactElement, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type {
  PolicyActivation,
  PolicyHealth,
  RuleHealth,
  RuleHistories,
  RuleHistory,
} from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Panel } from '../../parts/panel.tsx';
import { healthColumns, type HealthRow, type HealthSort, sortedHealth, SortHeader } from './health-sort.tsx';
import { ModeBadge } from './mode-badge.tsx';
import { type Mark, precisionOf, RuleChart } from './rule-chart.tsx';
import { RuleDetail } from './rule-detail.tsx';
import { useRuleName } from './use-rule-names.ts';

/** The figures come from a checkpoint, a few seconds old. */
const everyMs = 10_000;
/** Days change slowly. */
const historyMs = 60_000;

interface HealthTableProps {
  /** The active version. */
  readonly files: readonly PolicyFile[];
  readonly version: number;
}

/**
 * Figures of every rule since its version became active: firings, precision, missing facts and cost; and its last days,
 * over versions.
 */
export function HealthTable({ files, version }: HealthTableProps): ReactElement {
  const workspace = useWorkspaceName();
  const health = useQuery(asking('readRuleHealth', { params: { workspace, version } }, everyMs));
  const history = useQuery(asking('readRuleHistory', { params: { workspace }, query: {} }, historyMs)).data;
  const activations = useQuery(asking('listPolicyActivations', { params: { workspace }, query: {} }, historyMs)).data;
  const over = { history, activations: activations?.items ?? [] };
  return <Asked of={health}>{(told) => <Rules files={files} version={version} told={told} over={over} />}</Asked>;
}

/** What is known of the days before; loaded after the table. */
interface OverTime {
  readonly history: RuleHistories | undefined;
  readonly activations: readonly PolicyActivation[];
}

const nothing = {
  fired: 0,
  shadow: 0,
  suppressed: 0,
  missing: 0,
  fraud: 0,
  legitimate: 0,
  controlFraud: 0,
  controlLegitimate: 0,
};

interface RulesProps extends HealthTableProps {
  readonly told: PolicyHealth;
  readonly over: OverTime;
}

function Rules({ files, version, told, over }: RulesProps): ReactElement {
  const { t } = useTranslation();
  const [sort, setSort] = useState<HealthSort>();
  const loaded = useMemo(() => loadPolicy(files), [files]);
  if (!loaded.ok) return <p className="text-sm text-bad">{t('policy.broken', { count: loaded.errors.length })}</p>;
  const byReason = new Map(told.items.map((one) => [one.reason, one]));
  const features = new Set([...loaded.policy.features, ...loaded.policy.ratios].map(({ name }) => name));
  const all = loaded.policy.rules.map((rule) => ({
    rule,
    health: { ...nothing, reason: rule.reason, ...byReason.get(rule.reason) },
  }));
  // The busiest first, however they fired.
  const busiest = all.toSorted((a, b) => firedOf(b.health) - firedOf(a.health) || a.rule.reason - b.rule.reason);
  const rows = sort === undefined ? busiest : sortedHealth(all, sort);
  const shownSort = sort ?? { by: 'fired', isDown: true };
  return (
    <Panel flush title={t('ruleHealth.title')} hint={t('ruleHealth.hint')}>
      <div tabIndex={0} className="overflow-x-auto">
        <table className="w-full text-sm">
          <thead>
            <tr className="border-b border-line text-left">
              <SortHeader
                column="rule"
                label={t('events.rule')}
                sort={shownSort}
                onSort={setSort}
                className="w-2/5 min-w-56 px-4 py-2"
              />
              <SortHeader
                column="mode"
                label={t('ruleHealth.mode')}
                sort={shownSort}
                onSort={setSort}
                className="px-2 py-2"
              />
              {healthColumns.map((name) => (
                <SortHeader
                  key={name}
                  column={name}
                  label={t(`ruleHealth.${name}`)}
                  title={t(`ruleHealth.meaning.${name}`)}
                  sort={shownSort}
                  onSort={setSort}
                  className="px-2 py-2 text-right"
                />
              ))}
              <th className="eyebrow py-2 pr-4 pl-2">{t('ruleHistory.days')}</th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.map((row) => (
              <Row
                key={row.rule.reason}
                {...row}
                features={features}
                over={over}
                counted={{ policyVersion: version, from: told.keptAt }}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function firedOf({ fired, shadow, suppressed }: RuleHealth): number {
  return fired + shadow + suppressed;
}

interface RowProps extends HealthRow {
  readonly features: ReadonlySet<string>;
  readonly over: OverTime;
  /** Explanation of the figures, which do not depend on the chosen time range. */
  readonly counted: { readonly policyVersion: number; readonly from: string };
}

/** A rule and, when it is opened, its days and versions. */
function Row(props: RowProps): ReactElement {
  const nameOf = useRuleName();
  const [isOpen, setOpen] = useState(false);
  const { rule, over } = props;
  const { history, activations } = over;
  const own = history?.items.find(({ reason }) => reason === rule.reason);
  const marks = activations
    .filter(({ rules, at }) => rules.includes(rule.reason) && history !== undefined && at >= history.from)
    .map(({ version, at }) => ({ version, at }));
  return (
    <>
      <FigureRow {...props} isOpen={isOpen} onOpen={() => setOpen(!isOpen)} own={own} marks={marks} />
      {isOpen && history !== undefined ? (
        <tr>
          <td colSpan={healthColumns.length + 3} className="p-0">
            <RuleDetail
              name={nameOf(rule.name)}
              history={own ?? { reason: rule.reason, days: [], versions: [] }}
              range={history}
              marks={marks}
            />
          </td>
        </tr>
      ) : null}
    </>
  );
}

interface FigureRowProps extends RowProps {
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly own: RuleHistory | undefined;
  readonly marks: readonly Mark[];
}

function FigureRow(props: FigureRowProps): ReactElement {
  const { rule, health, counted, over, isOpen, onOpen, own, marks } = props;
  const { t } = useTranslation();
  const nameOf = useRuleName();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const { fired, shadow, suppressed, missing } = health;
  const count = (value: number): ReactElement => (
    <td className={`px-2 py-2 text-right ${value === 0 ? 'text-soft' : 'font-medium'}`}>{formats.number(value)}</td>
  );
  return (
    <tr>
      <td className="max-w-0 px-4 py-2">
        <span className="flex min-w-0 items-center gap-2">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={t('ruleHistory.open', { name: nameOf(rule.name) })}
            onClick={onOpen}
            className="text-soft hover:text-ink"
          >
            <ChevronRight aria-hidden className={`size-4 ${isOpen ? 'rotate-90' : ''}`} />
          </button>
          <Badge>{rule.reason}</Badge>
          <Link
            to="/w/$workspace/events"
            params={{ workspace }}
            search={{ reason: rule.reason, ...counted, range: undefined, to: undefined } as never}
            className="truncate font-medium hover:text-fence hover:underline"
          >
            {nameOf(rule.name)}
          </Link>
        </span>
      </td>
      <td className="px-2 py-2">
        <ModeBadge mode={rule.mode} />
      </td>
      {count(fired)}
      {count(shadow)}
      {count(suppressed)}
      <td className={`px-2 py-2 text-right ${missing === 0 ? 'text-soft' : 'font-medium text-warn'}`}>
        {formats.number(missing)}
      </td>
      <PrecisionCell health={health} />
      <CostCell rule={rule} features={props.features} />
      <td className="py-1 pr-4 pl-2">
        {over.history === undefined ? null : (
          <RuleChart
            label={t('ruleHistory.chartOf', { name: nameOf(rule.name) })}
            from={over.history.from}
            to={over.history.to}
            days={own?.days ?? []}
            marks={marks}
            isSmall
          />
        )}
      </td>
    </tr>
  );
}

/** The share of fraud among its labelled matches. */
function PrecisionCell({ health }: Pick<RowProps, 'health'>): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { fraud, legitimate, controlFraud, controlLegitimate } = health;
  const inControl = controlFraud + controlLegitimate;
  const precision = precisionOf(health);
  return (
    <td className="px-2 py-2 text-right whitespace-nowrap" title={t('backtest.labelled', { fraud, legitimate })}>
      {precision === undefined ? (
        <span className="text-soft">–</span>
      ) : (
        <>
          <b className="font-semibold">{formats.percent(precision)}</b>{' '}
          <span className="text-xs text-soft">{t('ruleHealth.ofLabelled', { count: fraud + legitimate })}</span>
        </>
      )}
      {inControl === 0 ? null : (
        <span className="block text-xs text-soft" title={t('ruleHealth.meaning.control')}>
          {t('ruleHealth.control', { fraud: formats.number(controlFraud), of: formats.number(inControl) })}
        </span>
      )}
    </td>
  );
}

/** The most that its condition costs, and what it reads. */
function CostCell({ rule, features }: Pick<RowProps, 'rule' | 'features'>): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { cost } = rule.condition;
  return (
    <td className="px-2 py-2 text-right whitespace-nowrap">
      {t('ruleHealth.steps', { count: cost, shown: formats.number(cost) })}
      <span className="block text-xs text-soft">
        {t('ruleHealth.reads', {
          facts: rule.reads.length,
          count: rule.reads.filter(({ path }) => features.has(path)).length,
        })}
      </span>
    </td>
  );
}

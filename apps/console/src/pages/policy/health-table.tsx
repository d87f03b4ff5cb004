import { loadPolicy, type PolicyFile, type Rule } from '@ringfence/policy';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactElement, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyHealth, RuleHealth } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useRuleName } from './use-rule-names.ts';

/** The figures come from a checkpoint, a few seconds old. */
const everyMs = 10_000;

interface HealthTableProps {
  /** The active version. */
  readonly files: readonly PolicyFile[];
  readonly version: number;
}

/** Figures of every rule since its version became active: firings, precision, missing facts and cost. */
export function HealthTable({ files, version }: HealthTableProps): ReactElement {
  const workspace = useWorkspaceName();
  const health = useQuery(asking('readRuleHealth', { params: { workspace, version } }, everyMs));
  return <Asked of={health}>{(told) => <Rules files={files} version={version} told={told} />}</Asked>;
}

const tones = { live: 'good', shadow: 'watch', off: 'plain' } as const;
const nothing = { fired: 0, shadow: 0, suppressed: 0, missing: 0, fraud: 0, legitimate: 0 };

function Rules({ files, version, told }: HealthTableProps & { readonly told: PolicyHealth }): ReactElement {
  const { t } = useTranslation();
  const loaded = useMemo(() => loadPolicy(files), [files]);
  if (!loaded.ok) return <p className="text-sm text-bad">{t('policy.broken', { count: loaded.errors.length })}</p>;
  const byReason = new Map(told.items.map((one) => [one.reason, one]));
  const features = new Set([...loaded.policy.features, ...loaded.policy.ratios].map(({ name }) => name));
  const rows = loaded.policy.rules
    .map((rule) => ({ rule, health: { ...nothing, reason: rule.reason, ...byReason.get(rule.reason) } }))
    .toSorted((a, b) => firedOf(b.health) - firedOf(a.health) || a.rule.reason - b.rule.reason);
  return (
    <Panel flush title={t('ruleHealth.title')} hint={t('ruleHealth.hint')}>
      <div tabIndex={0} className="overflow-x-auto">
        <table className="w-full text-sm">
          <thead>
            <tr className="border-b border-line text-left">
              <th className="eyebrow w-2/5 min-w-56 px-4 py-2">{t('events.rule')}</th>
              <th className="eyebrow px-2 py-2">{t('ruleHealth.mode')}</th>
              {(['fired', 'shadow', 'heldBack', 'missing', 'precision', 'cost'] as const).map((name) => (
                <th
                  key={name}
                  className="eyebrow px-2 py-2 text-right last:pr-4"
                  title={t(`ruleHealth.meaning.${name}`)}
                >
                  {t(`ruleHealth.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.map((row) => (
              <Row
                key={row.rule.reason}
                {...row}
                features={features}
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

interface RowProps {
  readonly rule: Rule;
  readonly health: RuleHealth;
  readonly features: ReadonlySet<string>;
  /** Explanation of the figures, which do not depend on the chosen time range. */
  readonly counted: { readonly policyVersion: number; readonly from: string };
}

function Row({ rule, health, features, counted }: RowProps): ReactElement {
  const { t } = useTranslation();
  const nameOf = useRuleName();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const { fired, shadow, suppressed, missing, fraud, legitimate } = health;
  const labelled = fraud + legitimate;
  const count = (value: number): ReactElement => (
    <td className={`px-2 py-2 text-right ${value === 0 ? 'text-soft' : 'font-medium'}`}>{formats.number(value)}</td>
  );
  return (
    <tr>
      <td className="max-w-0 px-4 py-2">
        <span className="flex min-w-0 items-center gap-2">
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
        <Badge tone={tones[rule.mode]}>{t(`policy.mode.${rule.mode}`)}</Badge>
      </td>
      {count(fired)}
      {count(shadow)}
      {count(suppressed)}
      <td className={`px-2 py-2 text-right ${missing === 0 ? 'text-soft' : 'font-medium text-warn'}`}>
        {formats.number(missing)}
      </td>
      <td className="px-2 py-2 text-right whitespace-nowrap" title={t('backtest.labelled', { fraud, legitimate })}>
        {labelled === 0 ? (
          <span className="text-soft">–</span>
        ) : (
          <>
            <b className="font-semibold">{formats.percent(fraud / labelled)}</b>{' '}
            <span className="text-xs text-soft">{t('ruleHealth.ofLabelled', { count: labelled })}</span>
          </>
        )}
      </td>
      <td className="py-2 pr-4 pl-2 text-right whitespace-nowrap">
        {t('ruleHealth.steps', { count: rule.condition.cost, shown: formats.number(rule.condition.cost) })}
        <span className="block text-xs text-soft">
          {t('ruleHealth.reads', {
            facts: rule.reads.length,
            count: rule.reads.filter(({ path }) => features.has(path)).length,
          })}
        </span>
      </td>
    </tr>
  );
}

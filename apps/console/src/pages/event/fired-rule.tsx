import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import type { FiredRule as Fired } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Badge } from '../../parts/badge.tsx';
import { DbIpNoteOf } from '../../parts/db-ip-note.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loading } from '../../parts/loading.tsx';
import { useRuleName } from '../policy/use-rule-names.ts';
import { ConditionRow } from './condition-row.tsx';

interface FiredRuleProps {
  readonly rule: Fired;
  readonly version: number | undefined;
  readonly chosen?: boolean;
  /** Absent: nothing to highlight. */
  readonly onChoose?: () => void;
}

/** A fired rule with each part of its condition and the value it read. */
export function FiredRule({ rule, version, chosen, onChoose }: FiredRuleProps): ReactElement {
  const { t } = useTranslation();
  const nameOf = useRuleName();
  return (
    <article className={`rounded-md border ${chosen === true ? 'border-fence' : 'border-line'}`}>
      <header className="flex flex-wrap items-center gap-2 px-3 py-2">
        <Badge tone={rule.mode === 'live' ? 'bad' : 'watch'}>{rule.reason}</Badge>
        <h3 className="min-w-0 grow basis-40 text-sm font-medium">{nameOf(rule.name)}</h3>
        <Badge tone={rule.mode === 'live' ? 'plain' : 'watch'}>{t(`policy.mode.${rule.mode}`)}</Badge>
        {rule.suppressed === undefined ? null : <Badge tone="warn">{t(`event.heldBack.${rule.suppressed}`)}</Badge>}
        {onChoose === undefined ? null : (
          <button
            type="button"
            aria-pressed={chosen}
            onClick={onChoose}
            className="rounded px-1.5 py-0.5 text-xs text-fence hover:bg-fence-wash aria-pressed:bg-fence aria-pressed:text-on-fence"
          >
            {t('event.markOnly')}
          </button>
        )}
      </header>
      <Conditions rule={rule} version={version} />
      <DbIpNoteOf paths={Object.keys(rule.facts)} />
    </article>
  );
}

/** The compiler is loaded on demand. */
function Conditions({ rule, version }: Pick<FiredRuleProps, 'rule' | 'version'>): ReactElement {
  const workspace = useWorkspaceName();
  const explained = useQuery({
    queryKey: ['explained', workspace, version, rule],
    enabled: version !== undefined,
    queryFn: async ({ signal }) => {
      const [{ explainFired }, { files }] = await Promise.all([
        import('../../policy/explain-fired.ts'),
        call('readPolicy', { params: { workspace, version: version! } }, { signal }),
      ]);
      return explainFired(files, rule) ?? null;
    },
    staleTime: Infinity,
  });
  if (explained.isLoading) return <Loading rows={2} />;
  // Without its policy, show the facts that the rule read.
  if (explained.data === undefined || explained.data === null) {
    return (
      <div className="border-t border-line px-2 py-2">
        <Facts mono of={Object.entries(rule.facts).map(([name, value]) => ({ name, value }))} />
      </div>
    );
  }
  return (
    <ul className="border-t border-line text-sm">
      <li className="border-b border-line bg-sunken px-3 py-2">
        <code className="font-mono text-xs leading-5 break-words">{explained.data.text}</code>
      </li>
      {explained.data.conditions.map((condition, at) => (
        <ConditionRow key={at} condition={condition} />
      ))}
    </ul>
  );
}

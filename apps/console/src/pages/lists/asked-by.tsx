import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Badge } from '../../parts/badge.tsx';
import { ruleLabel, useRuleNames } from '../policy/use-rule-names.ts';

/** The rules that use a list, each linked to the events it flagged. */
export function AskedBy({ rules }: { readonly rules: readonly number[] }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const names = useRuleNames();
  if (rules.length === 0) return <span className="text-xs text-soft">{t('lists.noRules')}</span>;
  return (
    <span className="flex flex-wrap items-center gap-1">
      {rules.map((reason) => (
        <Link key={reason} to="/w/$workspace/events" params={{ workspace }} search={{ reason }}>
          <Badge tone="cool">{ruleLabel(reason, names)}</Badge>
        </Link>
      ))}
    </span>
  );
}

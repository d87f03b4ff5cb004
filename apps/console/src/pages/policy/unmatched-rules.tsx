import { ChevronRight } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { RuleWithoutMatch } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';
import { ModeBadge } from './mode-badge.tsx';
import { useRuleName } from './use-rule-names.ts';

/** More than this are folded away: a policy with packs has dozens. */
const openMax = 5;

/** The rules of the candidate that matched no event, with their modes. */
export function UnmatchedRules({ rules }: { readonly rules: readonly RuleWithoutMatch[] }): ReactElement | null {
  const { t } = useTranslation();
  const nameOf = useRuleName();
  if (rules.length === 0) return null;
  return (
    <details open={rules.length <= openMax} className="group">
      <summary className="eyebrow flex cursor-pointer list-none items-center gap-1 py-1">
        <ChevronRight aria-hidden className="size-3.5 shrink-0 group-open:rotate-90" />
        {t('tried.unmatched', { count: rules.length })}
      </summary>
      <ul className="divide-y divide-line border-y border-line">
        {rules.map(({ reason, name, mode }) => (
          <li key={reason} className="flex items-center gap-2 py-1">
            <Badge>{reason}</Badge>
            <span className="min-w-0 truncate" title={nameOf(name)}>
              {nameOf(name)}
            </span>
            <span className="ml-auto">
              <ModeBadge mode={mode} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

import { ChevronRight } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { UnmatchedRule } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';
import { DbIpNoteOf } from '../../parts/db-ip-note.tsx';
import { useRuleName } from '../policy/use-rule-names.ts';
import { ConditionRow } from './condition-row.tsx';

/** A rule that did not fire, with the conditions that were not met. */
export function UnfiredRule({ rule, note }: { readonly rule: UnmatchedRule; readonly note?: string }): ReactElement {
  const { t } = useTranslation();
  const nameOf = useRuleName();
  const { conditions } = rule;
  const held = conditions.filter(({ holds }) => holds === true).length;
  return (
    <details className="group rounded-md border border-line">
      <summary className="flex cursor-pointer list-none items-center gap-2 rounded-md px-3 py-2 hover:bg-sunken">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-soft group-open:rotate-90" />
        <Badge>{rule.reason}</Badge>
        <span className="min-w-0 grow truncate text-sm font-medium">{nameOf(rule.name)}</span>
        {note === undefined ? null : <Badge tone="warn">{note}</Badge>}
        {rule.isPassedOver ? <Badge tone="cool">{t('event.passedOver')}</Badge> : null}
        {rule.mode === 'shadow' ? <Badge tone="watch">{t('policy.mode.shadow')}</Badge> : null}
        <span className="shrink-0 text-xs text-soft">{t('event.partsHeld', { held, count: conditions.length })}</span>
      </summary>
      <ul className="border-t border-line text-sm">
        <li className="border-b border-line bg-sunken px-3 py-2">
          <code className="font-mono text-xs leading-5 break-words">{rule.text}</code>
        </li>
        {conditions.map(({ text, holds, values }, at) => (
          <ConditionRow
            key={at}
            isTold
            condition={{
              text,
              holds,
              values: Object.entries(values).map(([path, value]) => ({ path, text: value })),
            }}
          />
        ))}
      </ul>
      <DbIpNoteOf paths={conditions.flatMap(({ values }) => Object.keys(values))} />
    </details>
  );
}

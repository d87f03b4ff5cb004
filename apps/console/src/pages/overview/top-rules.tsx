import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { CountedName } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Badge } from '../../parts/badge.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useRuleNames } from '../policy/use-rule-names.ts';

const shown = 8;

interface TopRulesProps {
  readonly live: readonly CountedName[];
  readonly shadow: readonly CountedName[];
}

/** Rules that fired most, live and in shadow. */
export function TopRules({ live, shadow }: TopRulesProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const names = useRuleNames();
  const all = [
    ...live.map((rule) => ({ ...rule, mode: 'live' as const })),
    ...shadow.map((rule) => ({ ...rule, mode: 'shadow' as const })),
  ]
    .toSorted((a, b) => b.count - a.count)
    .slice(0, shown);
  return (
    <Panel title={t('overview.rules')}>
      {all.length === 0 ? <p className="text-sm text-soft">{t('overview.noRules')}</p> : null}
      <ul className="flex flex-col gap-0.5 text-sm">
        {all.map(({ key, count, mode }) => (
          <li key={`${mode}${key}`}>
            <Link
              to="/w/$workspace/events"
              params={{ workspace }}
              search={{ reason: Number(key) }}
              className="-mx-2 grid h-8 grid-cols-[3rem_minmax(0,1fr)_auto_3rem] items-center gap-2 rounded px-2 hover:bg-sunken"
            >
              <Badge tone={mode === 'live' ? 'bad' : 'watch'}>{key}</Badge>
              <span className="truncate">{names?.get(Number(key)) ?? ''}</span>
              {mode === 'shadow' ? <span className="text-xs text-watch">{t('policy.mode.shadow')}</span> : <span />}
              <span className="text-right font-medium">{formats.number(count)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

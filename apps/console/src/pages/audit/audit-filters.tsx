import { useNavigate, useSearch } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/field.tsx';
import { TypedFilter } from '../../parts/typed-filter.tsx';
import { readTimeRange } from '../../url/time-range.ts';
import { readAuditSearch } from './audit-search.ts';

/** Narrows the log; every choice stands in the address at once. */
export function AuditFilters(): ReactElement {
  const { t } = useTranslation();
  const search = useSearch({ from: '/w/$workspace/audit' });
  const navigate = useNavigate({ from: '/w/$workspace/audit' });
  const seesAll = useSession().installation.includes('administer');
  const narrow = (change: Readonly<Record<string, unknown>>): void =>
    void navigate({ search: (before) => ({ ...readTimeRange(before), ...readAuditSearch({ ...before, ...change }) }) });
  const isNarrow = Object.keys(readAuditSearch(search)).length > 0;
  return (
    <div className="flex flex-wrap items-center gap-2" role="search" aria-label={t('audit.filters')}>
      {seesAll ? (
        <Choice
          bare
          label={t('audit.scope')}
          className="w-52"
          value={search.scope ?? ''}
          onChange={(event) => narrow({ scope: event.target.value })}
          options={[
            { value: '', label: t('audit.scopeHere') },
            { value: 'all', label: t('audit.scopeAll') },
          ]}
        />
      ) : null}
      {(['actor', 'action', 'target'] as const).map((member) => (
        <TypedFilter
          key={member}
          label={t(`audit.${member}`)}
          className="w-48"
          value={search[member] ?? ''}
          onChange={(typed) => narrow({ [member]: typed })}
        />
      ))}
      {isNarrow ? (
        <Button look="quiet" small onClick={() => void navigate({ search: readTimeRange })}>
          <X aria-hidden className="size-3.5" />
          {t('audit.all')}
        </Button>
      ) : null}
    </div>
  );
}

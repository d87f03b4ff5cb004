import { useNavigate, useSearch } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/field.tsx';
import { TypedFilter } from '../../parts/typed-filter.tsx';
import { readTimeRange } from '../../url/time-range.ts';
import { actionsWithWords, useActionWords } from './audit-actions.ts';
import { readAuditSearch } from './audit-search.ts';

/** Filters of the log. Every choice is stored in the address. */
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
      <TypedFilter
        label={t('audit.actor')}
        className="w-48"
        value={search.actor ?? ''}
        onChange={(typed) => narrow({ actor: typed })}
      />
      <ActionChoice value={search.action ?? ''} onChange={(action) => narrow({ action })} />
      <TypedFilter
        label={t('audit.target')}
        className="w-48"
        value={search.target ?? ''}
        onChange={(typed) => narrow({ target: typed })}
      />
      {isNarrow ? (
        <Button look="quiet" small onClick={() => void navigate({ search: readTimeRange })}>
          <X aria-hidden className="size-3.5" />
          {t('audit.all')}
        </Button>
      ) : null}
    </div>
  );
}

interface ActionChoiceProps {
  readonly value: string;
  readonly onChange: (action: string) => void;
}

function ActionChoice({ value, onChange }: ActionChoiceProps): ReactElement {
  const { t, i18n } = useTranslation();
  const wordsOf = useActionWords();
  // An address may name an action of another release.
  const names = value === '' || actionsWithWords.includes(value) ? actionsWithWords : [value, ...actionsWithWords];
  const options = names
    .map((name) => ({ value: name, label: wordsOf(name) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, i18n.language));
  return (
    <Choice
      bare
      label={t('audit.action')}
      className="w-64"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      options={[{ value: '', label: t('audit.anything') }, ...options]}
    />
  );
}

import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../parts/badge.tsx';
import type { Differences, RuleChange } from './policy-changes.ts';

const tones = { added: 'good', removed: 'bad', changed: 'warn' } as const;

/** The differences between two policies: by rule, then features, lists and other parts. */
export function Changes({ changes }: { readonly changes: Differences | undefined }): ReactElement {
  const { t } = useTranslation();
  if (changes === undefined) return <p className="text-sm text-bad">{t('policy.doesNotLoad')}</p>;
  const { rules, others } = changes;
  if (rules.length + others.length === 0) return <p className="text-sm text-soft">{t('policy.noChanges')}</p>;
  return (
    <ul
      className="flex max-h-[50vh] flex-col gap-3 overflow-y-auto text-sm"
      tabIndex={0}
      aria-label={t('policy.changes')}
    >
      {rules.map((change) => (
        <ChangedRule key={change.reason} change={change} />
      ))}
      {others.length === 0 ? null : (
        <li className="rounded-md border border-line p-3">
          <p className="mb-1 font-medium">{t('policy.otherChanges')}</p>
          <ul className="font-mono text-xs leading-5">
            {others.map(({ of, change }) => (
              <li key={`${of}${change}`} className="break-words">
                <b className="font-semibold">{of}</b>: {change}
              </li>
            ))}
          </ul>
        </li>
      )}
    </ul>
  );
}

function ChangedRule({ change: { reason, name, kind, parts } }: { readonly change: RuleChange }): ReactElement {
  const { t } = useTranslation();
  return (
    <li className="rounded-md border border-line p-3">
      <p className="flex items-center gap-2">
        <Badge tone={tones[kind]}>{t(`policy.change.${kind}`)}</Badge>
        <b className="font-medium">
          {reason} {name}
        </b>
      </p>
      <dl className="mt-2 grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 gap-y-1 font-mono text-xs leading-5 empty:hidden">
        {parts.map(({ part, was, is }) => (
          <div key={part} className="contents">
            <dt className="font-sans text-soft">{t(`policy.part.${part}`)}</dt>
            <dd className="break-words whitespace-pre-wrap">
              {was === '' ? null : <span className="block rounded bg-bad-wash px-2">− {was}</span>}
              {is === '' ? null : <span className="mt-0.5 block rounded bg-fence-wash px-2 first:mt-0">+ {is}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../parts/badge.tsx';
import type { RuleChange } from './policy-changes.ts';

const tones = { added: 'good', removed: 'bad', changed: 'warn' } as const;

/** The difference between two policies in words, rule by rule. */
export function Changes({ changes }: { readonly changes: readonly RuleChange[] | undefined }): ReactElement {
  const { t } = useTranslation();
  if (changes === undefined) return <p className="text-sm text-bad">{t('policy.doesNotLoad')}</p>;
  if (changes.length === 0) return <p className="text-sm text-soft">{t('policy.noChanges')}</p>;
  return (
    <ul
      className="flex max-h-[50vh] flex-col gap-3 overflow-y-auto text-sm"
      tabIndex={0}
      aria-label={t('policy.changes')}
    >
      {changes.map(({ reason, name, kind, parts }) => (
        <li key={reason} className="rounded-md border border-line p-3">
          <p className="flex items-center gap-2">
            <Badge tone={tones[kind]}>{t(`policy.change.${kind}`)}</Badge>
            <b className="font-medium">
              {reason} {name}
            </b>
          </p>
          {parts.map(({ part, was, is }) => (
            <dl key={part} className="mt-2 grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 font-mono text-xs leading-5">
              <dt className="row-span-2 font-sans text-soft">{t(`policy.part.${part}`)}</dt>
              <dd className="rounded bg-bad-wash px-2 break-words">− {was}</dd>
              <dd className="mt-0.5 rounded bg-fence-wash px-2 break-words">+ {is}</dd>
            </dl>
          ))}
        </li>
      ))}
    </ul>
  );
}

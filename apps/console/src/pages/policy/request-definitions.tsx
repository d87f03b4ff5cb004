import type { PolicyFile } from '@ringfence/policy';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../parts/badge.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { type Definition, definitionsOf } from './definitions.ts';

interface RequestDefinitionsProps {
  readonly before: readonly PolicyFile[];
  readonly after: readonly PolicyFile[];
  /** The rules that differ. */
  readonly changed: readonly number[];
}

const tones = { added: 'good', changed: 'warn', same: 'plain' } as const;

/** The features, lists and parameters of a change: in words, and as written. */
export function RequestDefinitions({ before, after, changed }: RequestDefinitionsProps): ReactElement | null {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['definitions', before, after, changed],
    queryFn: async () => (await definitionsOf(before, after, changed)) ?? [],
    staleTime: Infinity,
  });
  if (data === undefined || data.length === 0) return null;
  const [present, known] = [data.filter(({ state }) => state !== 'same'), data.filter(({ state }) => state === 'same')];
  return (
    <section className="flex flex-col gap-2">
      <h3 className="eyebrow">{t('review.definitions')}</h3>
      {present.length === 0 ? null : <DefinitionList of={present} />}
      {known.length === 0 ? null : (
        <details>
          <summary className="cursor-pointer text-sm text-soft">
            {t('review.alsoRead', { count: known.length })}
          </summary>
          <div className="mt-2">
            <DefinitionList of={known} />
          </div>
        </details>
      )}
    </section>
  );
}

function DefinitionList({ of }: { readonly of: readonly Definition[] }): ReactElement {
  return (
    <ul className="flex flex-col gap-2 text-sm">
      {of.map((one) => (
        <DefinitionRow key={`${one.kind} ${one.name}`} of={one} />
      ))}
    </ul>
  );
}

function DefinitionRow({ of }: { readonly of: Definition }): ReactElement {
  const { t } = useTranslation();
  const { kind, name, state, rules, text, parts } = of;
  return (
    <li className="grid gap-x-4 gap-y-2 rounded-md border border-line p-3 lg:grid-cols-2">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={tones[state]}>{t(`review.state.${state}`)}</Badge>
          <span className="text-soft">{t(`review.kind.${kind}`)}</span>
          <b className="font-mono text-xs font-semibold break-all">{name}</b>
          {rules.length === 0 ? null : (
            <span className="text-xs text-soft">{t('review.readBy', { rules: rules.join(', ') })}</span>
          )}
        </p>
        <dl className="mt-2 grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 gap-y-1 text-xs leading-5 empty:hidden">
          {parts.map(([part, value]) => (
            <div key={part} className="contents">
              <dt className="text-soft">{t(`review.part.${part}`)}</dt>
              <dd className={`break-words ${part === 'description' ? '' : 'font-mono'}`}>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <CodeBlock label={t('review.textOf', { name })} text={text} />
    </li>
  );
}

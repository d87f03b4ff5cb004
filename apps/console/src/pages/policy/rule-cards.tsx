import { loadPolicy, type PolicyFile, type Rule } from '@ringfence/policy';
import { type ReactElement, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../parts/badge.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useActionName } from '../deliveries/use-action-name.ts';

/** Every rule as a card, by file. */
export function RuleCards({ files }: { readonly files: readonly PolicyFile[] }): ReactElement {
  const { t } = useTranslation();
  const loaded = useMemo(() => loadPolicy(files), [files]);
  if (!loaded.ok) return <p className="text-sm text-bad">{t('policy.broken', { count: loaded.errors.length })}</p>;
  const byFile = Map.groupBy(loaded.policy.rules, ({ file }) => file);
  return (
    <div className="flex flex-col gap-4">
      {[...byFile].map(([file, rules]) => (
        <Panel key={file} title={file} hint={t('policy.rulesOf', { count: rules.length })}>
          <div className="grid grid-cols-2 gap-3 2xl:grid-cols-3">
            {rules.map((rule) => (
              <RuleCard key={rule.reason} rule={rule} />
            ))}
          </div>
        </Panel>
      ))}
    </div>
  );
}

const tones = { live: 'good', shadow: 'watch', off: 'plain' } as const;

function RuleCard({ rule }: { readonly rule: Rule }): ReactElement {
  const { t } = useTranslation();
  const actionName = useActionName();
  return (
    <article className="flex flex-col gap-2 rounded-md border border-line p-3">
      <header className="flex items-start gap-2">
        <Badge>{rule.reason}</Badge>
        <h3 className="min-w-0 grow text-sm font-medium">{rule.name}</h3>
        <Badge tone={tones[rule.mode]}>{t(`policy.mode.${rule.mode}`)}</Badge>
      </header>
      {rule.description === undefined ? null : <p className="text-xs text-soft">{rule.description}</p>}
      <pre className="rounded bg-sunken p-2 font-mono text-xs leading-5 break-words whitespace-pre-wrap">
        {rule.text}
      </pre>
      <p className="mt-auto text-xs text-soft">
        {[...rule.on].map((kind) => t(`event.kind.${kind}`)).join(', ')} →{' '}
        {rule.then.map(({ action }) => actionName(action)).join(', ')}
      </p>
    </article>
  );
}

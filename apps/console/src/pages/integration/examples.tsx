import { Tabs } from 'radix-ui';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { inputClass } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { curlExample, exampleKinds, nodeExample } from './example-text.ts';

/** Requests to copy, with this workspace's own address. A key is shown once when it is made; put it in here to have it in them. */
export function Examples(): ReactElement {
  const { t } = useTranslation();
  const environment = useWorkspaceName().endsWith(':development') ? 'development' : 'production';
  const [key, setKey] = useState('');
  const [origin, setOrigin] = useState(`${location.protocol}//${location.hostname}:8080`);
  const place = { origin, environment, key } as const;
  return (
    <Panel title={t('integration.examples')}>
      <div className="mb-3 grid grid-cols-2 gap-3">
        <label className="flex flex-col gap-1 text-xs font-medium text-soft">
          {t('integration.origin')}
          <input
            value={origin}
            onChange={(event) => setOrigin(event.target.value)}
            className={`${inputClass} font-mono text-xs`}
          />
        </label>
        <label className="flex flex-col gap-1 text-xs font-medium text-soft">
          {t('integration.yourKey')}
          <input
            value={key}
            autoComplete="off"
            spellCheck={false}
            placeholder="$RINGFENCE_KEY"
            onChange={(event) => setKey(event.target.value)}
            className={`${inputClass} font-mono text-xs`}
          />
        </label>
      </div>
      <Tabs.Root defaultValue="login">
        <Tabs.List aria-label={t('integration.examples')} className="mb-2 flex gap-1">
          {[...exampleKinds, 'node' as const].map((kind) => (
            <Tabs.Trigger
              key={kind}
              value={kind}
              className="h-7 rounded px-2.5 text-xs font-medium text-soft data-[state=active]:bg-fence-wash data-[state=active]:text-fence-deep"
            >
              {kind === 'node' ? 'Node.js' : `curl: ${t(`event.kind.${kind}`)}`}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {exampleKinds.map((kind) => (
          <Tabs.Content key={kind} value={kind}>
            <CodeBlock label={kind} text={curlExample(kind, place)} />
          </Tabs.Content>
        ))}
        <Tabs.Content value="node">
          <CodeBlock label="Node.js" text={nodeExample(place)} />
        </Tabs.Content>
      </Tabs.Root>
    </Panel>
  );
}

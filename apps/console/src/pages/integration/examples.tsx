import { useQuery } from '@tanstack/react-query';
import { Tabs } from 'radix-ui';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { inputClass } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import {
  csharpExample,
  curlExample,
  exampleKinds,
  type ExamplePlace,
  javaExample,
  nodeExample,
} from './example-text.ts';

const programs = [
  { name: 'Java', write: javaExample },
  { name: 'C#', write: csharpExample },
  { name: 'Node.js', write: nodeExample },
] as const;

interface ExamplesProps {
  /** Values of this workspace, if known: a key is shown only when it is created. */
  readonly ownKey: string;
  readonly onKey: (key: string) => void;
}

/** Requests to copy, with the address and key of this workspace. */
export function Examples({ ownKey, onKey }: ExamplesProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const environment = workspace.endsWith(':development') ? 'development' : 'production';
  const bound = useQuery(asking('readIntegration', { params: { workspace } })).data?.eventsUrl;
  const [typed, setTyped] = useState<string>();
  const origin = typed ?? originFrom(bound);
  const place: ExamplePlace = { origin, environment, key: ownKey };
  const examples = [
    ...exampleKinds.map((kind) => ({ name: `curl: ${t(`event.kind.${kind}`)}`, text: curlExample(kind, place) })),
    ...programs.map(({ name, write }) => ({ name, text: write(place) })),
  ];
  return (
    <Panel title={t('integration.examples')}>
      <div className="mb-3 grid grid-cols-1 sm:grid-cols-2 gap-3">
        <label className="flex flex-col gap-1 text-xs font-medium text-soft">
          {t('integration.origin')}
          <input
            value={origin}
            onChange={(event) => setTyped(event.target.value)}
            className={`${inputClass} font-mono text-xs`}
          />
        </label>
        <label className="flex flex-col gap-1 text-xs font-medium text-soft">
          {t('integration.yourKey')}
          <input
            value={ownKey}
            autoComplete="off"
            spellCheck={false}
            placeholder="$RINGFENCE_KEY"
            onChange={(event) => onKey(event.target.value)}
            className={`${inputClass} font-mono text-xs`}
          />
        </label>
      </div>
      <Tabs.Root defaultValue="0">
        <Tabs.List aria-label={t('integration.examples')} className="mb-2 flex flex-wrap gap-1">
          {examples.map(({ name }, at) => (
            <Tabs.Trigger
              key={name}
              // Used as an element id, which has no spaces.
              value={String(at)}
              className="h-7 rounded px-2.5 text-xs font-medium text-soft data-[state=active]:bg-fence-wash data-[state=active]:text-fence-deep"
            >
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {examples.map(({ name, text }, at) => (
          <Tabs.Content key={name} value={String(at)}>
            <CodeBlock label={name} text={text} />
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </Panel>
  );
}

/** The public port at the host of this page: the service may be bound to all addresses. */
function originFrom(bound: string | undefined): string {
  const { protocol, port } = new URL(bound ?? 'http://localhost:8080');
  return `${protocol}//${location.hostname}${port === '' ? '' : `:${port}`}`;
}

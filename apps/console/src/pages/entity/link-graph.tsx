import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entity } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { GraphLegend } from './graph-legend.tsx';
import { GraphTime } from './graph-time.tsx';
import { type LinkGraphState, useGraph } from './use-graph.ts';

interface LinkGraphProps {
  readonly kind: Entity['kind'];
  readonly of: string;
}

/** Entities that share events, such as clients with the same device. A click on a node loads its links. */
export function LinkGraph({ kind, of }: LinkGraphProps): ReactElement {
  const { t } = useTranslation();
  const { box, chosen, span, isFull, untilMs, showUntil } = useGraph(kind, of);
  return (
    <Panel
      title={t('entity.tab.graph')}
      hint={t('entity.graphHint')}
      flush
      tools={chosen === undefined ? null : <OpenButton node={chosen} />}
    >
      {/* With this element present, Cytoscape does not insert a style element. */}
      <meta id="__________cytoscape_stylesheet" />
      <div ref={box} role="img" aria-label={t('entity.graphLabel')} className="relative h-[34rem] overflow-hidden" />
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-t border-line px-4 py-2.5">
        <GraphLegend />
        {isFull ? <span className="text-xs text-warn">{t('entity.graphFull')}</span> : null}
        {span === undefined || span.firstMs === span.lastMs ? null : (
          <GraphTime span={span} untilMs={untilMs} onChange={showUntil} />
        )}
      </div>
    </Panel>
  );
}

function OpenButton({ node }: { readonly node: NonNullable<LinkGraphState['chosen']> }): ReactElement {
  const { t } = useTranslation();
  const { kind, ref, label } = node;
  const workspace = useWorkspaceName();
  const navigate = useNavigate();
  const open = (): void => void navigate({ to: '/w/$workspace/about/$kind/$ref', params: { workspace, kind, ref } });
  return (
    <Button small onClick={open}>
      {t('entity.open', { name: label })}
    </Button>
  );
}

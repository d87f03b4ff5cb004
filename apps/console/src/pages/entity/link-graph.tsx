import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entity } from '../../api/operations.generated.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type LinkGraphState, useGraph } from './use-graph.ts';
import { Instant } from '../../parts/instant.tsx';
import type { GraphSpan } from './graph-model.ts';

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

/** Same shapes as in `graph-style.ts`. */
const shapes = [
  { kind: 'client', look: 'fill-fence', points: '' },
  { kind: 'device', look: 'fill-cool', points: '1,2 11,2 11,10 1,10' },
  { kind: 'ip', look: 'fill-warn', points: '6,0 12,6 6,12 0,6' },
  { kind: 'payee', look: 'fill-watch', points: '3,1 9,1 12,6 9,11 3,11 0,6' },
  { kind: 'account', look: 'fill-soft', points: '6,0 12,5 10,12 2,12 0,5' },
] as const;

/** Legend of shapes. */
function GraphLegend(): ReactElement {
  const { t } = useTranslation();
  return (
    <ul className="flex flex-wrap gap-x-4 text-xs text-soft">
      {shapes.map(({ kind, look, points }) => (
        <li key={kind} className="flex items-center gap-1.5">
          <svg aria-hidden viewBox="0 0 12 12" className={`size-3 ${look}`}>
            {points === '' ? <circle cx="6" cy="6" r="6" /> : <polygon points={points} />}
          </svg>
          {t(`entity.kind.${kind}`)}
        </li>
      ))}
    </ul>
  );
}

/** Steps of the slider: finer ones cannot be set by hand. */
const steps = 200;

interface GraphTimeProps {
  readonly span: GraphSpan;
  readonly untilMs: number;
  readonly onChange: (untilMs: number) => void;
}

/** Time slider: shows only links that existed at an instant. */
function GraphTime({ span, untilMs, onChange }: GraphTimeProps): ReactElement {
  const { t } = useTranslation();
  const { firstMs, lastMs } = span;
  const at = Math.min(lastMs, untilMs);
  return (
    <label className="ml-auto flex items-center gap-3 text-xs text-soft">
      {t('entity.until')}
      <input
        type="range"
        aria-label={t('entity.graphTime')}
        min={0}
        max={steps}
        value={Math.round(((at - firstMs) / (lastMs - firstMs)) * steps)}
        onChange={({ target }) => {
          const step = target.valueAsNumber;
          onChange(step === steps ? Infinity : firstMs + ((lastMs - firstMs) * step) / steps);
        }}
        className="w-64 accent-fence"
      />
      <span className="w-44 text-ink">
        <Instant at={new Date(at).toISOString()} />
      </span>
    </label>
  );
}

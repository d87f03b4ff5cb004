import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import cytoscape, { type Core } from 'cytoscape';
import fcose from 'cytoscape-fcose';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entity } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { chartColours } from '../../charts/colours.ts';
import { useThemeName } from '../../look/use-theme-name.ts';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { graphStyle } from './graph-style.ts';

cytoscape.use(fcose);

/** More can neither be drawn nor understood at once. */
const nodesMax = 150;

interface LinkGraphProps {
  readonly kind: Entity['kind'];
  readonly of: string;
}

/** Who shares a device, an address or a payee with whom. A click on a node asks for what stands beside it. */
export function LinkGraph({ kind, of }: LinkGraphProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const client = useQueryClient();
  const navigate = useNavigate();
  const personal = usePersonal();
  const theme = useThemeName();
  const box = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<{ readonly kind: string; readonly ref: string; readonly label: string }>();
  const isShown = personal.show === true;
  useEffect(() => {
    const graph = cytoscape({ container: box.current, style: graphStyle(chartColours()), maxZoom: 1.4, minZoom: 0.2 });
    const grow = async (node: LinkGraphProps): Promise<void> => {
      const query = isShown ? { show: true } : {};
      const entity = await client.fetchQuery(
        asking('readEntity', { params: { workspace, kind: node.kind, ref: node.of }, query }),
      );
      if (!graph.destroyed()) addNeighbours(graph, entity);
    };
    graph.on('tap', 'node', ({ target }) => {
      const { entityKind, ref, label } = target.data() as { entityKind: Entity['kind']; ref: string; label: string };
      setChosen({ kind: entityKind, ref, label });
      void grow({ kind: entityKind, of: ref });
    });
    void grow({ kind, of });
    return () => graph.destroy();
  }, [client, workspace, kind, of, theme, isShown]);
  return (
    <Panel
      title={t('entity.tab.graph')}
      hint={t('entity.graphHint')}
      flush
      tools={
        chosen === undefined ? null : (
          <Button
            small
            onClick={() =>
              void navigate({
                to: '/w/$workspace/about/$kind/$ref',
                params: { workspace, kind: chosen.kind, ref: chosen.ref },
              })
            }
          >
            {t('entity.open', { name: chosen.label })}
          </Button>
        )
      }
    >
      {/* Cytoscape looks for this before it would write a style of its own. */}
      <meta id="__________cytoscape_stylesheet" />
      <div ref={box} role="img" aria-label={t('entity.graphLabel')} className="relative h-[34rem] overflow-hidden" />
    </Panel>
  );
}

function addNeighbours(graph: Core, entity: Entity): void {
  const own = `${entity.kind}:${entity.ref}`;
  // Nodes that nobody has seen yet may lie anywhere; later ones leave the others about where they are.
  const randomize = graph.nodes().empty();
  const add = (kind: Entity['kind'], ref: string, value: string | undefined): string => {
    const id = `${kind}:${ref}`;
    if (graph.getElementById(id).empty()) {
      graph.add({ group: 'nodes', data: { id, ref, entityKind: kind, label: value ?? ref.slice(0, 8) } });
    }
    return id;
  };
  add(entity.kind, entity.ref, entity.value);
  for (const link of entity.links) {
    if (graph.nodes().length >= nodesMax) break;
    if (link.kind === 'reference' || link.kind === 'session') continue;
    const other = add(link.kind, link.ref, link.value);
    const id = [own, other].toSorted().join('|');
    if (graph.getElementById(id).empty()) {
      graph.add({ group: 'edges', data: { id, source: own, target: other, fired: link.fired > 0 ? 1 : 0 } });
    }
  }
  graph.getElementById(own).addClass('grown');
  graph
    .layout({
      name: 'fcose',
      animate: false,
      nodeRepulsion: () => 9_000,
      idealEdgeLength: () => 90,
      randomize,
    } as never)
    .run();
}

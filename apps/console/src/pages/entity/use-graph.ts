import { useQueryClient } from '@tanstack/react-query';
import cytoscape, { type Core } from 'cytoscape';
import fcose from 'cytoscape-fcose';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { ApiProblem } from '../../api/api-problem.ts';
import type { Entity } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { chartColours } from '../../charts/colours.ts';
import { useThemeName } from '../../look/use-theme-name.ts';
import { useNotices } from '../../parts/notices.tsx';
import { addNeighbours, type GraphSpan, showUntil, spanOfGraph } from './graph-model.ts';
import { graphStyle } from './graph-style.ts';

cytoscape.use(fcose);

export interface GraphNode {
  readonly kind: Entity['kind'];
  readonly ref: string;
}

export interface LinkGraphState {
  readonly box: RefObject<HTMLDivElement | null>;
  /** The last clicked node. */
  readonly chosen: (GraphNode & { readonly label: string }) | undefined;
  /** Time span of the links; `undefined` if there is none. */
  readonly span: GraphSpan | undefined;
  readonly isFull: boolean;
  /** Only links up to this instant are drawn. */
  readonly untilMs: number;
  readonly showUntil: (untilMs: number) => void;
}

/** A graph that starts with one node and grows by clicks. It restarts when its container changes. */
export function useGraph(kind: Entity['kind'], of: string): LinkGraphState {
  const workspace = useWorkspaceName();
  const client = useQueryClient();
  const notices = useNotices();
  const isShown = usePersonal().show === true;
  const theme = useThemeName();
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<Core>(undefined);
  const [chosen, setChosen] = useState<LinkGraphState['chosen']>();
  const [span, setSpan] = useState<GraphSpan>();
  const [isFull, setFull] = useState(false);
  const [untilMs, setUntilMs] = useState(Infinity);
  useEffect(() => {
    const graph = cytoscape({ container: box.current, style: graphStyle(chartColours()), maxZoom: 1.4, minZoom: 0.2 });
    const ask = async (node: GraphNode): Promise<void> => {
      const query = isShown ? { show: true } : {};
      const entity = await client.fetchQuery(asking('readEntity', { params: { workspace, ...node }, query }));
      if (graph.destroyed()) return;
      setFull(addNeighbours(graph, entity));
      graph.getElementById(`${kind}:${of}`).addClass('root');
      setSpan(spanOfGraph(graph));
      setUntilMs(Infinity);
    };
    const grow = (node: GraphNode): void =>
      void ask(node).catch(({ message }: ApiProblem) => graph.destroyed() || notices.warn(message));
    graph.on('tap', 'node', ({ target }) => {
      const { entityKind, ref, label } = target.data() as { entityKind: Entity['kind']; ref: string; label: string };
      setChosen({ kind: entityKind, ref, label });
      grow({ kind: entityKind, ref });
    });
    grow({ kind, ref: of });
    drawn.current = graph;
    return () => graph.destroy();
  }, [client, workspace, kind, of, theme, isShown, notices]);
  useEffect(() => {
    if (drawn.current?.destroyed() === false) showUntil(drawn.current, untilMs);
  }, [untilMs, span]);
  return { box, chosen, span, isFull, untilMs, showUntil: setUntilMs };
}

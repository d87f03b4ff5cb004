import type { Core } from 'cytoscape';
import type { Entity } from '../../api/operations.generated.ts';

/** Upper bound of nodes that can be drawn quickly and read by a person. */
const nodesMax = 150;

/** The time span of the links in the graph. */
export interface GraphSpan {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Adds the links of an entity. @returns whether the graph is full */
export function addNeighbours(graph: Core, entity: Entity): boolean {
  const own = `${entity.kind}:${entity.ref}`;
  // The first layout is free; later ones keep existing nodes near their positions.
  const randomize = graph.nodes().empty();
  const add = (kind: Entity['kind'], ref: string, value: string | undefined): string => {
    const id = `${kind}:${ref}`;
    if (graph.getElementById(id).empty()) {
      graph.add({ group: 'nodes', data: { id, ref, entityKind: kind, label: value ?? ref.slice(0, 8) } });
    }
    return id;
  };
  add(entity.kind, entity.ref, entity.value);
  const links = entity.links.filter(({ kind }) => kind !== 'reference' && kind !== 'session');
  let isFull = false;
  for (const link of links) {
    isFull ||= graph.nodes().length >= nodesMax;
    if (isFull && graph.getElementById(`${link.kind}:${link.ref}`).empty()) continue;
    const other = add(link.kind, link.ref, link.value);
    const id = [own, other].toSorted().join('|');
    if (!graph.getElementById(id).empty()) continue;
    const atMs = Date.parse(link.firstAt);
    graph.add({
      group: 'edges',
      data: { id, source: own, target: other, fired: link.fired > 0 ? 1 : 0, events: link.events, atMs },
    });
  }
  graph.getElementById(own).addClass('grown');
  arrange(graph, randomize);
  return isFull;
}

function arrange(graph: Core, randomize: boolean): void {
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

/** From the first to the last link in the graph; `undefined` if there is none. */
export function spanOfGraph(graph: Core): GraphSpan | undefined {
  const times = graph.edges().map((edge) => edge.data('atMs') as number);
  return times.length === 0 ? undefined : { firstMs: Math.min(...times), lastMs: Math.max(...times) };
}

/** Hides links later than an instant, and nodes connected only by them. */
export function showUntil(graph: Core, untilMs: number): void {
  graph.batch(() => {
    for (const edge of graph.edges()) {
      const isThere = (edge.data('atMs') as number) <= untilMs;
      edge.style('display', isThere ? 'element' : 'none');
    }
    for (const node of graph.nodes()) {
      const hasLink = node.connectedEdges().some((edge) => (edge.data('atMs') as number) <= untilMs);
      node.style('display', hasLink || node.hasClass('root') ? 'element' : 'none');
    }
  });
}

import type { StylesheetJson } from 'cytoscape';
import type { ChartColours } from '../../charts/colours.ts';

/** Shapes distinguish the kinds, not colour alone. */
export function graphStyle(colours: ChartColours): StylesheetJson {
  const shapeOf = {
    client: 'ellipse',
    device: 'round-rectangle',
    ip: 'diamond',
    payee: 'hexagon',
    account: 'pentagon',
  } as const;
  const colourOf = {
    client: colours.fence,
    device: colours.cool,
    ip: colours.warn,
    payee: colours.watch,
    account: colours.soft,
  } as const;
  return [
    {
      selector: 'node',
      style: {
        label: 'data(label)',
        color: colours.ink,
        'font-size': 11,
        'font-family': 'Inter Variable',
        'text-valign': 'bottom',
        'text-wrap': 'ellipsis',
        'text-max-width': '110px',
        'text-margin-y': 5,
        'text-background-color': colours.card,
        'text-background-opacity': 0.85,
        'text-background-padding': '2px',
        width: 22,
        height: 22,
        'background-color': colours.soft,
        'border-width': 2,
        'border-color': colours.card,
      },
    },
    ...(Object.keys(shapeOf) as (keyof typeof shapeOf)[]).map((kind) => ({
      selector: `node[entityKind = "${kind}"]`,
      style: { shape: shapeOf[kind], 'background-color': colourOf[kind] },
    })),
    { selector: 'node.grown', style: { 'border-color': colours.ink } },
    { selector: 'edge', style: { width: 1.5, 'line-color': colours.lineStrong, 'curve-style': 'straight' } },
    { selector: 'edge[fired = 1]', style: { 'line-color': colours.bad, width: 2 } },
  ];
}

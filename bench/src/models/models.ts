import { assert } from '@ringfence/contract';
import { artifactFormat, type ModelTree, populationBin, sha256, writeArtifact } from '@ringfence/models';
import { loadPolicy, type ModelEvaluation, type Policy, type PolicyFile } from '@ringfence/policy';
import { between, seededRandom } from '@ringfence/e2e';
import { decide } from '../engine/decide.ts';
import { withStore } from '../engine/stored-state.ts';
import { historyOf } from '../handbook/history.ts';
import { readRows } from '../handbook/read-rows.ts';
import { planVisits } from '../handbook/visits.ts';
import { policyFiles } from '../product/bench-policy.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';

export interface ModelsOptions {
  readonly events: number;
  readonly rounds: number;
  readonly trees: number;
  readonly depth: number;
  readonly seed: number;
}

/** The bar: forty rules with a model of 150 trees of depth 6, relative to the same without it. */
const relativeMin = 0.75;

/** Its inputs, and the largest threshold of each: half of the events lie on either side of most questions. */
const inputs = [
  { name: 'amount', text: 'order.amount', most: 200 },
  { name: 'count24h', text: 'clientCount24h', most: 8 },
  { name: 'sum7d', text: 'clientSum7d', most: 2_000 },
  { name: 'overAverage', text: 'double(order.amount) / double(clientAvg30d)', most: 3 },
  { name: 'terminalCount7d', text: 'terminalCount7d', most: 12 },
  { name: 'sinceLast', text: 'clientLast', most: 100_000 },
] as const;

/** What a model in the policy costs the engine: forty rules with it and without it, in turns. */
export async function models(options: ModelsOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const { rounds, trees, depth, seed } = options;
  const rows = readRows(seed);
  const history = historyOf(rows, planVisits(rows, seed));
  const events = Math.min(options.events, history.count);
  const files = await policyFiles('forty');
  const policies = { without: policyOf(files), with: policyOf([...files, ...modelFiles(options)]) };
  const perSecond = { without: [] as number[], with: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const side of ['without', 'with'] as const) {
      const decided = await withStore((stored) =>
        decide({
          history,
          policy: policies[side],
          stored,
          events,
          chunk: 500,
          checkpointEvery: 200_000,
          noteEvery: events,
          restartEvery: 0,
          onEvaluated: count,
        }),
      );
      perSecond[side].push((events * 1_000) / decided.cpuMs);
    }
  }
  const [best, modelled] = [Math.max(...perSecond.without), Math.max(...perSecond.with)];
  print(
    table([
      ['forty rules', 'events per processor second', 'us an event'],
      ['without a model', figure(best), figure(1_000_000 / best)],
      [`with ${trees} trees of depth ${depth}`, figure(modelled), figure(1_000_000 / modelled)],
    ]),
  );
  return [
    {
      what: `events per second with ${trees} trees of depth ${depth}, relative to none`,
      measured: modelled / best,
      bar: relativeMin,
      must: 'reach',
      unit: '',
    },
  ];
}

/** Ten bins, as a training makes them, over the usual values. */
const binsOf = (most: number) => ({
  edges: Array.from({ length: 9 }, (_, at) => ((at + 1) * most) / 10).toSorted((a, b) => a - b),
  counts: Array.from({ length: 11 }, () => 1_000),
});
const counts = Array.from({ length: inputs.length + 1 }, () => new Float64Array(11));

/** Counts what the model reads and says, as the deciding thread does. */
function count({ model, inputs: values, margin }: ModelEvaluation): void {
  const { margins, inputs: bins } = model.trained!.content.population!;
  counts[0]![populationBin(margins.edges, margin)]! += 1;
  for (let at = 0; at < values.length; at++) counts[at + 1]![populationBin(bins[at]!.edges, values[at]!)]! += 1;
}

function policyOf(files: readonly PolicyFile[]): Policy {
  const loaded = loadPolicy(files);
  assert(loaded.ok, `the policy checks: ${loaded.ok ? '' : (loaded.errors[0]?.message ?? '')}`);
  return loaded.policy;
}

function modelFiles({ trees, depth, seed }: ModelsOptions): readonly PolicyFile[] {
  const random = seededRandom(seed);
  const text = writeArtifact({
    format: artifactFormat,
    inputs: inputs.map(({ name }) => ({ name, kind: 'number' })),
    precision: 'double',
    comparison: '<=',
    base: -4,
    trees: Array.from({ length: trees }, () => fullTree(random, depth)),
    scores: { margins: [-10, 0, 10], shares: [0, 0.9, 1] },
    population: { margins: binsOf(-4), inputs: inputs.map(({ most }) => binsOf(most)) },
  });
  const declared = inputs.map(({ name, text: expression }) => `      ${name}: ${expression}\n`).join('');
  const yaml = `models:
  cards:
    on: operation
    artifact: cards.json
    sha256: "${sha256(text)}"
    inputs:
${declared}rules:
  - { reason: 9000, name: Likely by the model, on: [operation], when: model.cards.score > 999.9, then: { action: 4, message: m }, mode: shadow }
`;
  return [
    { path: 'model.yaml', text: yaml },
    { path: 'cards.json', text },
  ];
}

/** Every way from the root has `depth` questions. */
function fullTree(random: () => number, depth: number): ModelTree {
  const inner = 2 ** depth - 1;
  const all = 2 * inner + 1;
  const nodes = Array.from({ length: all }, (_, node) => node);
  const asked = nodes.map((node) => (node < inner ? between(random, 0, inputs.length - 1) : -1));
  return {
    input: asked,
    value: nodes.map((node) =>
      node < inner ? Math.round(random() * inputs[asked[node]!]!.most * 100) / 100 : (random() - 0.5) / 5,
    ),
    left: nodes.map((node) => (node < inner ? 2 * node + 1 : 0)),
    right: nodes.map((node) => (node < inner ? 2 * node + 2 : 0)),
    missingLeft: nodes.map((node) => (node < inner ? node % 2 : 0)),
    cover: nodes.map((node) => 2 ** (depth - Math.floor(Math.log2(node + 1)))),
  };
}

import { type ModelArtifact, type ModelPopulation, sha256, writeArtifact } from '@ringfence/models';
import { loadPolicy, type Policy, type PolicyFile } from '@ringfence/policy';

/** One tree over the amount, with what it was trained on. */
export function driftFiles(population?: ModelPopulation, base = 0): readonly PolicyFile[] {
  const artifact: ModelArtifact = {
    format: 'ringfence-model/1',
    inputs: [
      { name: 'amount', kind: 'number' },
      { name: 'kind', kind: 'category', texts: ['login', 'operation'] },
    ],
    precision: 'double',
    comparison: '<=',
    base,
    trees: [
      {
        input: [0, -1, -1],
        value: [100, -1, 1],
        left: [1, 0, 0],
        right: [2, 0, 0],
        missingLeft: [1, 0, 0],
        cover: [2, 1, 1],
      },
    ],
    ...(population === undefined ? {} : { population }),
  };
  const text = writeArtifact(artifact);
  const yaml = `models:
  cards:
    on: operation
    artifact: models/cards.json
    sha256: "${sha256(text)}"
    inputs: { amount: order.amount, kind: event.kind }
rules:
  - { reason: 1, name: likely, on: operation, when: model.cards.p > 0.99, then: { action: 4, message: x } }
`;
  return [
    { path: 'models/cards.json', text },
    { path: 'rules.yaml', text: yaml },
  ];
}

export function driftPolicy(population: ModelPopulation): Policy {
  const loaded = loadPolicy(driftFiles(population));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.policy;
}

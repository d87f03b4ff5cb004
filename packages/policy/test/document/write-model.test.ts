import { expect, it } from 'vitest';
import { writeModel } from '../../src/document/write-model.ts';

const trained = { artifact: 'models/cards.json', sha256: 'ab12' };
const write = (text: string): string | undefined => writeModel([{ path: 'a.yaml', text }], 'cards', trained)?.text;

it('adds the artifact of a model, and leaves everything else as it is', () => {
  expect(
    write('models:\n  # Card payments.\n  cards:\n    on: [operation]   # all\n    inputs: { a: order.amount }\n'),
  ).toBe(
    'models:\n  # Card payments.\n  cards:\n    sha256: "ab12"\n    artifact: models/cards.json\n    on: [operation]   # all\n    inputs: { a: order.amount }\n',
  );
  expect(write('models: { cards: { on: operation, inputs: { a: order.amount } } }')).toBe(
    'models: { cards: { sha256: "ab12", artifact: models/cards.json, on: operation, inputs: { a: order.amount } } }',
  );
});

it('replaces an earlier artifact', () => {
  const text = 'models:\n  cards:\n    artifact: old.json # before\n    sha256: "00"\n    on: operation\n';
  expect(write(text)).toBe(
    'models:\n  cards:\n    artifact: models/cards.json # before\n    sha256: "ab12"\n    on: operation\n',
  );
});

it('finds no model that is not declared', () => {
  expect(write('models:\n  others: { on: operation }\n')).toBeUndefined();
  expect(write('rules: []\n')).toBeUndefined();
});

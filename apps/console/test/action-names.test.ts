import { expect, it } from 'vitest';
import { actionNames } from '../src/pages/policy/action-names.ts';

it('reads the names of custom actions, with those of the bank before those of packs', async () => {
  const files = [
    { path: 'a.yaml', text: 'actions:\n  6: Call the client\n  7: { name: Step-up, trusts: device }\n' },
    { path: 'packs/b.yaml', text: 'pack: { name: b }\nactions:\n  6: Something else\n  9: Hold\n' },
    { path: 'c.yaml', text: 'rules: []\n' },
  ];
  expect([...(await actionNames(files))].toSorted(([a], [b]) => a - b)).toEqual([
    [6, 'Call the client'],
    [7, 'Step-up'],
    [9, 'Hold'],
  ]);
});

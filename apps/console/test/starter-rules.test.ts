import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { starterRules } from '../src/language/starter-rules.ts';
import { ruleNames } from '../src/pages/policy/use-rule-names.ts';

it('translates the name of every rule of the starter policy into Spanish', async () => {
  const folder = new URL('../../server/policies/starter/', import.meta.url);
  const files = readdirSync(folder)
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => ({ path, text: readFileSync(new URL(path, folder), 'utf8') }));
  const names = await ruleNames(files);
  expect([...names.values()].toSorted()).toEqual(Object.keys(starterRules).toSorted());
});

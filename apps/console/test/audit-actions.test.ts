import { expect, it } from 'vitest';
import { operations } from '../src/api/operations.generated.ts';
import { actionsWithWords } from '../src/pages/audit/audit-actions.ts';

/** POST operations that change nothing have no audit entry. */
const questions = [
  'decideEventThen',
  'explainEvent',
  'exportEvents',
  'search',
  'searchEvents',
  'supposeEvent',
  'testPolicy',
  'diffPolicies',
];

it('labels every change of the management API', () => {
  const changes = Object.entries(operations).filter(([, [method]]) => method !== 'GET');
  const wordless = changes.map(([id]) => id).filter((id) => !actionsWithWords.includes(id) && !questions.includes(id));
  expect(wordless).toEqual([]);
});

import { expect, it } from 'vitest';
import { outcomeReasons, reasonOf, reasonText } from '../../src/outcomes/outcome-reasons.ts';

it('each reason is recognised by its stored text, whatever its detail', () => {
  for (const reason of outcomeReasons) expect(reasonOf(reasonText(reason, '$& 12'))).toBe(reason);
  expect(reasonText('severalOperations', 2)).toBe('this client has 2 operations with this reference');
  expect(reasonOf('written by another release')).toBeUndefined();
});

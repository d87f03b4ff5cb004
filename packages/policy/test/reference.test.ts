import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formDefinitions } from '../src/compile/forms.ts';
import { functionDefinitions } from '../src/compile/functions.ts';
import { policyReference } from '../src/reference.ts';
import { check } from './evaluate.ts';

describe('the reference page', () => {
  it('is what `node tools/policy-reference.ts` writes now', () => {
    const page = new URL('../../../docs/reference/policy-facts.md', import.meta.url);
    expect(readFileSync(page, 'utf8')).toBe(policyReference());
  });

  it.each(functionDefinitions)('has an example of $receiver $name that checks', ({ example, result }) => {
    const condition = result === 'bool' || / (?:==|>|>=) /.test(example) ? example : `${example} == ${example}`;
    expect(check(condition).mistakes).toEqual([]);
  });

  it.each(formDefinitions)('has an example of $signature that checks', ({ example }) => {
    expect(check(example).mistakes).toEqual([]);
  });
});

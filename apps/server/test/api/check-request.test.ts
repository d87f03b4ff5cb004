import { Problem } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { checkRequest } from '../../src/api/server/check-request.ts';
import { managementRoutes } from '../../src/api/routes.ts';

const { params: _params, ...supposeEvent } = managementRoutes.find(
  ({ operation }) => operation.id === 'supposeEvent',
)!.operation;

function edited(levels: number): unknown {
  const edits = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as unknown;
  return checkRequest(supposeEvent, { params: {}, query: {}, body: { edits } }).body;
}

it('accepts a patch that is checked later at any valid depth, but not one that overflows the stack', () => {
  expect(edited(16)).toHaveProperty('edits.a.a.a');
  for (const levels of [17, 100_000]) {
    expect(() => edited(levels)).toThrow(Problem);
    expect(() => edited(levels)).toThrow('edits: expected at most 16 levels of objects and lists');
  }
});

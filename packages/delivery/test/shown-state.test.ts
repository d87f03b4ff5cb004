import { readFileSync } from 'node:fs';
import { answeredActionStates } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { shownState, storedState } from '../src/shown-state.ts';

it('names each state as it is shown, and back', () => {
  expect(shownState('held')).toBe('capped');
  for (const state of answeredActionStates) expect(shownState(storedState(state))).toBe(state);
});

/** Every value of an enumeration, and the name of every member, in a part of an OpenAPI document. */
function words(part: unknown): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) => [
    ...(name === 'enum' ? (value as readonly unknown[]).map(String) : []),
    ...(name === 'properties' ? Object.keys(value as object) : []),
    ...words(value),
  ]);
}

it.each(['openapi-management.json', 'openapi.json'])('%s calls no action held', (file) => {
  const document: unknown = JSON.parse(
    readFileSync(new URL(`../../../docs/reference/${file}`, import.meta.url), 'utf8'),
  );
  expect(words(document)).toContain('reason');
  expect(words(document)).not.toContain('held');
});

it('the reference of the commands calls no action held', () => {
  const text = readFileSync(new URL('../../../docs/reference/command-line.md', import.meta.url), 'utf8');
  expect(text).toContain('capped');
  expect(text).not.toMatch(/\bheld (actions?|deliver)|state held|--held/);
});

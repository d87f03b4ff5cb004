import { expect, it } from 'vitest';
import { newState } from '../../../src/state.ts';

it('distinguishes an unknown name from one that is known to be absent', () => {
  const { store } = newState({ complete: true });
  const group = store.group(0);
  const key = store.newKey();
  key.set('nobody');
  expect(group.find(key)).toBe(0);
  group.addAbsent(key);
  const block = group.find(key);
  expect(block).toBeGreaterThan(0);
  expect(group.isAbsent(block)).toBe(true);
  expect([group.count, group.inUseCount, group.present()]).toEqual([1, 0, []]);
});

import { expect, it } from 'vitest';
import { createMemoryDedupeStore } from '../../src/webhook/dedupe-store.ts';

const answer = { code: 1 } as const;

it('gives an id to one caller, and its answer to all after', async () => {
  const store = createMemoryDedupeStore();
  expect((await store.claim('a')).kind).toBe('claimed');
  expect((await store.claim('a')).kind).toBe('running');
  await store.complete('a', answer);
  expect(await store.claim('a')).toEqual({ kind: 'answered', answer });
});

it('gives a released id again', async () => {
  const store = createMemoryDedupeStore();
  await store.claim('a');
  await store.release('a');
  expect((await store.claim('a')).kind).toBe('claimed');
});

it('forgets the oldest answers beyond its bound, and nothing that runs', async () => {
  const store = createMemoryDedupeStore(3);
  await store.claim('runs');
  for (const id of ['a', 'b', 'c', 'd']) {
    await store.claim(id);
    await store.complete(id, answer);
  }
  expect((await store.claim('runs')).kind).toBe('running');
  expect((await store.claim('d')).kind).toBe('answered');
  expect((await store.claim('c')).kind).toBe('answered');
  expect((await store.claim('a')).kind).toBe('claimed');
});

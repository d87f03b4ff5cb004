import { expect, it } from 'vitest';
import { createMemoryDedupeStore } from '../../src/webhook/dedupe-store.ts';

const answer = { code: 1 } as const;

it('assigns an id to one caller, and returns its answer to all later ones', async () => {
  const store = createMemoryDedupeStore();
  expect((await store.claim('a')).kind).toBe('claimed');
  expect((await store.claim('a')).kind).toBe('running');
  await store.complete('a', answer);
  expect(await store.claim('a')).toEqual({ kind: 'answered', answer });
});

it('assigns a released id again', async () => {
  const store = createMemoryDedupeStore();
  await store.claim('a');
  await store.release('a');
  expect((await store.claim('a')).kind).toBe('claimed');
});

it('evicts the oldest answers beyond its limit, but no running action', async () => {
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

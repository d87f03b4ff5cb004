import { expect, it } from 'vitest';
import { OrderedWrites } from '../../src/decide/ordered-writes.ts';

function gate(): PromiseWithResolvers<void> & { readonly write: () => Promise<void>; readonly begun: () => boolean } {
  const resolvers = Promise.withResolvers<void>();
  let begun = false;
  const write = (): Promise<void> => {
    begun = true;
    return resolvers.promise;
  };
  return { ...resolvers, write, begun: () => begun };
}

async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

it('run one after the other, beside their caller', async () => {
  const writes = new OrderedWrites(3, () => {});
  const [one, two] = [gate(), gate()];
  writes.add(one.write);
  writes.add(two.write);
  await turns();
  expect([one.begun(), two.begun(), writes.isEmpty]).toEqual([true, false, false]);
  one.resolve();
  await turns();
  expect(two.begun()).toBe(true);
  two.resolve();
  await writes.drained();
  expect(writes.isEmpty).toBe(true);
});

it('wait for a place', async () => {
  const writes = new OrderedWrites(2, () => {});
  const [one, two, three] = [gate(), gate(), gate()];
  writes.add(one.write);
  writes.add(two.write);
  let hasRoom = false;
  const waiting = writes.room().then(() => (hasRoom = true));
  await turns();
  expect(hasRoom).toBe(false);
  one.resolve();
  await waiting;
  writes.add(three.write);
  for (const { resolve } of [two, three]) resolve();
  await writes.drained();
});

it('end with the first that fails: no later one begins, and who waits for a place learns why', async () => {
  let failures = 0;
  const writes = new OrderedWrites(2, () => (failures += 1));
  const [one, two, three] = [gate(), gate(), gate()];
  writes.add(one.write);
  writes.add(two.write);
  const waiting = writes.room();
  one.reject(new Error('fenced'));
  await expect(waiting).rejects.toThrow('fenced');
  await writes.settled();
  await expect(writes.drained()).rejects.toThrow('fenced');
  await expect(writes.room()).rejects.toThrow('fenced');
  writes.add(three.write);
  await writes.settled();
  expect([two.begun(), three.begun(), failures, writes.isEmpty]).toEqual([false, false, 1, true]);
});

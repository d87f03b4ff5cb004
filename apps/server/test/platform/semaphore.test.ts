import { expect, it } from 'vitest';
import { Semaphore } from '../../src/platform/semaphore.ts';

it('limits concurrent calls, first come first served, and ignores a second release', async () => {
  const turns = new Semaphore(2);
  const order: number[] = [];
  const took = [1, 2, 3, 4].map(async (number) => {
    const giveBack = await turns.take();
    order.push(number);
    return giveBack;
  });
  const first = await took[0]!;
  await took[1];
  expect(order).toEqual([1, 2]);
  first();
  first();
  const third = await took[2]!;
  expect(order).toEqual([1, 2, 3]);
  third();
  await took[3];
  expect(order).toEqual([1, 2, 3, 4]);
});

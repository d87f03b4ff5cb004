import { expect, it } from 'vitest';
import { BackgroundWrite } from '../../src/decide/background-write.ts';

it('runs beside its caller, and reports its end', async () => {
  const ends: boolean[] = [];
  const write = new BackgroundWrite((isWell) => ends.push(isWell));
  const { promise, resolve } = Promise.withResolvers<void>();
  expect(write.isIdle()).toBe(true);
  write.start(() => promise);
  expect([write.isIdle(), ends]).toEqual([false, []]);
  resolve();
  await write.ended();
  expect([write.isIdle(), ends]).toEqual([true, [true]]);
});

it('that failed throws from then on', async () => {
  const ends: boolean[] = [];
  const write = new BackgroundWrite((isWell) => ends.push(isWell));
  write.start(() => Promise.reject(new Error('fenced')));
  await write.settled();
  expect(ends).toEqual([false]);
  expect(() => write.isIdle()).toThrow('fenced');
  await expect(write.ended()).rejects.toThrow('fenced');
});

import { describe, expect, it } from 'vitest';
import { paced } from '../src/api/paced.ts';

/** Actions and pauses that a test ends manually. */
function stage() {
  const acts: PromiseWithResolvers<void>[] = [];
  const rests: PromiseWithResolvers<void>[] = [];
  const begin = (those: PromiseWithResolvers<void>[]) => (): Promise<void> => {
    const one = Promise.withResolvers<void>();
    those.push(one);
    return one.promise;
  };
  const call = paced(begin(acts), begin(rests));
  const end = async (those: PromiseWithResolvers<void>[]): Promise<void> => {
    those.at(-1)!.resolve();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { acts, rests, call, end };
}

describe('coalesced calls', () => {
  it('run immediately, and once more after a pause for all calls in between', async () => {
    const { acts, rests, call, end } = stage();
    for (let times = 0; times < 100; times++) call();
    expect(acts).toHaveLength(1);
    await end(acts);
    call();
    expect(acts).toHaveLength(1);
    await end(rests);
    expect(acts).toHaveLength(2);
    await end(acts);
    await end(rests);
    expect(acts).toHaveLength(2);
    call();
    expect(acts).toHaveLength(3);
  });
});

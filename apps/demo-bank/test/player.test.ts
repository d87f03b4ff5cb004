import { expect, it } from 'vitest';
import { Bank } from '../src/bank/bank.ts';
import { play } from '../src/play/player.ts';
import type { Step } from '../src/play/story.ts';

const pepper = Buffer.alloc(32, 3).toString('base64');
const who = { user: 'ana', session: 's-1' };
const steps: readonly Step[] = [
  { atMs: 2, ...who, does: 'logOut' },
  { atMs: 0, ...who, does: 'logIn', ip: '203.0.113.7' },
  { atMs: 1, ...who, does: 'operate', category: 'balance' },
];

function setUp() {
  const reported: string[] = [];
  const bank = new Bank(
    {
      login: () => void reported.push('login'),
      logout: () => void reported.push('logout'),
      operation: () => void reported.push('operation'),
    },
    pepper,
  );
  return { reported, bank };
}

it('plays steps in order of time, each once the earlier ones are stored', async () => {
  const { reported, bank } = setUp();
  const done: number[] = [];
  let underWay = 0;
  let mostUnderWay = 0;
  const settle = async (): Promise<void> => {
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
  };
  await play(steps, { bank, settle, signal: new AbortController().signal, onStep: (number) => void done.push(number) });
  expect(reported).toEqual(['login', 'operation', 'logout']);
  expect(done).toEqual([1, 2, 3]);
  expect(mostUnderWay).toBe(1);
});

it('stops when aborted, even while waiting', async () => {
  const { bank } = setUp();
  const ending = new AbortController();
  const played = play(steps, {
    bank,
    settle: () => {
      ending.abort(new Error('enough'));
      return new Promise(() => undefined);
    },
    signal: ending.signal,
    onStep: () => undefined,
  });
  await expect(played).rejects.toThrow('enough');
});

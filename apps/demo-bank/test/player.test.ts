import { hashClient } from '@ringfence/client';
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
      outcome: ({ outcome }) => void reported.push(outcome),
      status: () => Promise.resolve({ found: false, why: 'unavailable', detail: '' }),
    },
    pepper,
  );
  return { reported, bank };
}

const others = {
  tokenOf: (phone: string) => Promise.resolve(`token of ${phone}`),
  decide: () => Promise.resolve(),
  recorded: () => Promise.resolve(),
};

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
  await play(steps, {
    ...others,
    bank,
    settle,
    signal: new AbortController().signal,
    onStep: (number) => void done.push(number),
  });
  expect(reported).toEqual(['login', 'operation', 'logout']);
  expect(done).toEqual([1, 2, 3]);
  expect(mostUnderWay).toBe(1);
});

it('comes no sooner after the step before it than the story says, although that one was late', async () => {
  const { bank } = setUp();
  const times: number[] = [];
  let isFirst = true;
  const settle = async (): Promise<void> => {
    if (isFirst) await new Promise((resolve) => setTimeout(resolve, 100));
    isFirst = false;
    times.push(performance.now());
  };
  const late: readonly Step[] = [
    { atMs: 0, ...who, does: 'logOut' },
    { atMs: 60, ...who, does: 'operate', category: 'balance' },
  ];
  await play(late, { ...others, bank, settle, signal: new AbortController().signal, onStep: () => undefined });
  const [logout = 0, operation = 0] = times;
  // A timer may fire a millisecond early.
  expect(operation - logout).toBeGreaterThanOrEqual(58);
});

it('stops when aborted, even while waiting', async () => {
  const { bank } = setUp();
  const ending = new AbortController();
  const played = play(steps, {
    ...others,
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

it('lets the user confirm once the bank was asked, and the analyst decide', async () => {
  const { reported, bank } = setUp();
  const decision = { reason: 961, amount: '1.00', members: 1, decision: 'release', comment: '' } as const;
  const told: string[] = [];
  setTimeout(() => {
    const client = hashClient('ana', pepper);
    const action = { id: 'act_1', isTest: false, action: 10, channel: 1, date: '', message: '', reason: 1 };
    bank.execute({ ...action, session: 's-1', client });
  }, 50);
  await play(
    [
      { atMs: 0, ...who, does: 'logIn', ip: '203.0.113.7', phone: 'hers' },
      { atMs: 1, ...who, does: 'confirm', method: 'passkey', isPassed: false },
      { atMs: 2, ...who, does: 'decide', ...decision },
    ],
    {
      tokenOf: (phone, channelId) => Promise.resolve(void told.push(`${phone} ${channelId}`)).then(() => 'token'),
      decide: ({ reason, decision: decided }) => Promise.resolve(told.push(`${decided} ${reason}`)),
      recorded: () => Promise.resolve(told.push('recorded')),
      bank,
      settle: () => Promise.resolve(),
      signal: new AbortController().signal,
      onStep: () => undefined,
    },
  );
  expect(reported).toEqual(['login', 'stepUpFailed']);
  expect(told).toEqual(['hers 1', 'recorded', 'release 961']);
});

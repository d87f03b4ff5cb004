import type { LookupAddress } from 'node:dns';
import { expect, it } from 'vitest';
import { type LookUp, oneLookUp } from '../src/one-look-up.ts';

const addresses: LookupAddress[] = [
  { address: '192.0.2.1', family: 4 },
  { address: '2001:db8::1', family: 6 },
];

/** A system resolver that answers on command. */
function system(): { readonly lookUp: LookUp; readonly asked: Parameters<LookUp>[2][] } {
  const asked: Parameters<LookUp>[2][] = [];
  return { asked, lookUp: (_hostname, _options, tell) => void asked.push(tell) };
}

function ask(lookUp: ReturnType<typeof oneLookUp>, all: boolean): Promise<unknown> {
  return new Promise((resolve) => {
    lookUp('ringfence.example', { all }, (...answer) => resolve(answer));
  });
}

it('makes one system look-up for all waiting callers, however long it takes', async () => {
  const { lookUp, asked } = system();
  const shared = oneLookUp(lookUp);
  const waiting = Array.from({ length: 40 }, (_, at) => ask(shared, at % 2 === 0));
  expect(asked).toHaveLength(1);
  asked[0]!(null, addresses);
  const answers = await Promise.all(waiting);
  expect(answers[0]).toEqual([null, addresses]);
  expect(answers[1]).toEqual([null, '192.0.2.1', 4]);
  void ask(shared, true);
  expect(asked).toHaveLength(2);
});

it('reports a failure to all of them, and looks up again', async () => {
  const { lookUp, asked } = system();
  const shared = oneLookUp(lookUp);
  const waiting = [ask(shared, true), ask(shared, false)];
  const error = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  asked[0]!(error, []);
  expect(await Promise.all(waiting)).toEqual([
    [error, ''],
    [error, ''],
  ]);
  void ask(shared, true);
  expect(asked).toHaveLength(2);
});

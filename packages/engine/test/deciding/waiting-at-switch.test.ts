/**
 * Operations that wait for their login while a policy begins whose new features come with history. Goal: each is
 * counted once, by the backfill or by the live engine. Method: a count after the switch is compared with the number of
 * payments, for every order of the login, the end of the grace and the switch.
 */
import { secondMs } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { newState } from '../../src/state.ts';
import { foldedHistory } from '../folded-history.ts';
import { graceMs, LogBuilder, policyOf, run, shownBy } from '../log-builder.ts';

const rules = `rules:
  - { reason: 1, name: shows, on: [operation], when: 'count > 0', then: { action: 3, message: m }, mode: shadow }`;
const before = policyOf(`rules:
  - { reason: 9, name: closes, on: [operation], when: 'order.amount > 50', then: { action: 2, message: m } }`);
const after = policyOf(`features:\n  count: { count: true, by: payee.id, over: 1d, on: operation }\n${rules}\n`);

interface Case {
  readonly name: string;
  /** Writes the records before the switch, and returns the first record of the history. */
  readonly before: (log: LogBuilder) => number;
  readonly after: (log: LogBuilder) => void;
  /** Payments before the final one that reads the count. */
  readonly payments: number;
}

const session = { session: 's' };
const cases: readonly Case[] = [
  {
    name: 'its login comes after the switch',
    before: (log) => log.wait(secondMs).operation('ana', session),
    after: (log) => log.wait(secondMs).login('ana', session),
    payments: 1,
  },
  {
    name: 'its grace ends after the switch',
    before: (log) => log.wait(secondMs).operation('ana', session),
    after: (log) => log.wait(graceMs).tick(),
    payments: 1,
  },
  {
    name: 'its grace ended before the switch',
    before: (log) => {
      const first = log.operation('ana', session);
      log.wait(graceMs);
      return first;
    },
    after: () => {},
    payments: 1,
  },
  {
    name: 'it was decided immediately, by a login from before the history',
    before: (log) => {
      log.login('ana', session);
      return log.wait(secondMs).operation('ana', session);
    },
    after: (log) => log.wait(graceMs).tick(),
    payments: 1,
  },
  {
    name: 'it waits because an action closed its session, which is not in the history',
    before: (log) => {
      const first = log.login('ana', session);
      const offset = log.wait(secondMs).operation('ana', { ...session, amount: '99' });
      log.wait(secondMs).outcome('ana', { offset, reason: 9, position: 0, action: 2 });
      log.wait(2 * graceMs).operation('ana', session);
      return first;
    },
    after: (log) => log.wait(graceMs).tick(),
    payments: 2,
  },
  {
    name: 'it was sent twice, and waits',
    before: (log) => {
      const first = log.operation('ana', { ...session, body: 'same', reference: 'r' });
      log.wait(secondMs).operation('ana', { ...session, body: 'same', reference: 'r' });
      return first;
    },
    after: (log) => log.wait(secondMs).login('ana', session),
    payments: 1,
  },
];

it.each(cases)('a payment is counted once: $name', (one) => {
  const log = new LogBuilder();
  log.settings();
  log.policy(before);
  const fromOffset = one.before(log);
  const live = newState({ complete: true });
  run(log.records, live);
  const records = [log.records[0]!, ...log.records.slice(fromOffset)];
  const fold = foldedHistory({ policy: after, records, live, switchMs: log.nowMs });
  const history = { fromOffset, sinceMs: 0, segments: [], settings: undefined as never };
  const switchAt = log.append({ kind: 'policy', version: 2, policy: after, history, folded: fold });
  one.after(log);
  log.settings({ sessionGraceMs: 0 });
  const probe = log.operation('bob');
  const { decisions } = run(log.records.slice(switchAt), live);
  expect(shownBy(decisions.get(probe))).toEqual({ count: String(one.payments + 1) });
});

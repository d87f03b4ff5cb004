import { describe, expect, it } from 'vitest';
import type { Action } from '../../src/effect.ts';
import { sandboxReasons } from '../../src/deciding/sandbox.ts';
import { LogBuilder, policyOf, run } from '../log-builder.ts';

const policy = policyOf(`
actions: { 7: Hold the payment }
rules:
  - { reason: 100, name: large, on: operation, when: order.amount > 100, then: { action: 2 }, mode: live }
`);
const taken = policyOf(`
rules:
  - { reason: 9900001, name: our own, on: operation, when: order.amount > 100, then: { action: 2 }, mode: live }
`);

/** The actions of one operation that asks for a test. */
function actionsOf(sandbox: string, options: { policy?: typeof policy; amount?: string } = {}): readonly Action[] {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(options.policy ?? policy);
  log.login('ana', { session: 's1' });
  const offset = log.operation('ana', { session: 's1', amount: options.amount ?? '5' });
  const record = log.records[offset]!;
  if (record.kind !== 'event') throw new Error('not an event');
  log.records[offset] = { ...record, enrichment: { ...record.enrichment, sandbox } };
  return run(log.records).effects.filter((effect) => effect.kind === 'action');
}

describe('an operation that asks for a test', () => {
  it.each([
    ['action:2', sandboxReasons.action, 2],
    ['action:7', sandboxReasons.action, 7],
    ['fail:timeout', sandboxReasons.failTimeout, 3],
    ['expire', sandboxReasons.expire, 3],
  ])('%s gets one action, under a reason of its own', (test, reason, action) => {
    expect(actionsOf(test)).toMatchObject([
      { reason, action, state: 'due', session: 's1', client: 'ana', message: `Sandbox: ${test}` },
    ]);
  });

  it.each(['action:8', 'action:0', 'action:x', 'action:', 'other', ''])('%j gets nothing', (test) => {
    expect(actionsOf(test)).toEqual([]);
  });

  it('gets it beside the actions of the rules', () => {
    expect(actionsOf('action:1', { amount: '200' }).map(({ reason, action }) => [reason, action])).toEqual([
      [100, 2],
      [sandboxReasons.action, 1],
    ]);
  });

  it('gets nothing if the policy has a rule of that number', () => {
    expect(actionsOf('action:1', { policy: taken })).toEqual([]);
  });
});

import { hourMs } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { LogBuilder, policyOf, run } from '../log-builder.ts';

/** A pack and a bank may define the same profile: the five events that a deviation needs must still be five. */
it('counts an event once in a profile with two names', () => {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(
    policyOf(`
features:
  usual: { profile: order.amount, by: client.id, halfLife: 30d }
  ofThePack: { profile: order.amount, by: client.id, halfLife: 30d }
rules:
  - { reason: 1, name: has a score, when: 'zscore(order.amount, usual) > -1000.0', then: { action: 3, message: m } }
  - { reason: 2, name: has one too, when: 'zscore(order.amount, ofThePack) > -1000.0', then: { action: 3, message: m } }
`),
  );
  const offsets = Array.from({ length: 6 }, (_, day) =>
    log.wait(hourMs).operation('ana', { amount: String(10 + day), reference: `r${day}` }),
  );
  const { decisions } = run(log.records);
  const fired = offsets.map((offset) => decisions.get(offset)?.fired.map(({ reason }) => reason));
  expect(fired).toEqual([[], [], [], [], [], [1, 2]]);
});

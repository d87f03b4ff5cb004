import { expect, it } from 'vitest';
import type { Decision, Effect } from '../../src/effect.ts';
import { newState } from '../../src/state.ts';
import { stepTogether } from '../../src/step.ts';
import { tokenFacts } from '../devices/device-makers.ts';
import { LogBuilder, policyOf } from '../log-builder.ts';

const policy = policyOf(`
actions: { 6: { name: Step-up authentication, trusts: device } }
rules:
  - { reason: 1, name: steps up, on: [operation], when: 'order.amount > 50', then: { action: 6, message: m }, mode: live }
  - { reason: 2, name: shows, on: [operation], when: 'has(device.trusted) || !has(device.trusted)', then: { action: 3, message: m }, mode: shadow }
`);

/** The value of `device.trusted` for each session of ana, after the step-up of her phone was executed. */
function trustAfterStepUp(
  batch: number,
  next: (log: LogBuilder) => void,
): { readonly phone: string; readonly thief: string } {
  const log = new LogBuilder();
  log.settings();
  log.policy(policy);
  log.login('ana', { session: 's1', facts: tokenFacts({ nonce: 'n1', id: 'phone', key: 'k1' }) });
  log.login('ana', { session: 's2', facts: tokenFacts({ nonce: 'n2', id: 'thief', key: 'k2' }) });
  const asked = log.operation('ana', { session: 's1', amount: '100' });
  next(log);
  log.outcome('ana', { offset: asked, reason: 1, position: 0, action: 6 });
  const phone = log.operation('ana', { session: 's1', amount: '1' });
  const thief = log.operation('ana', { session: 's2', amount: '1' });
  const state = newState({ complete: true });
  const effects: Effect[] = [];
  // Batches begin with the payment, so that it is decided together with the following records.
  for (let at = 0; at < log.records.length;) {
    const count = at < asked ? 1 : batch;
    const done = stepTogether(state, log.records.slice(at, at + count)).effects;
    effects.push(...done.flat());
    at += done.length;
  }
  const trusted = (offset: number): string =>
    effects
      .find((effect): effect is Decision => effect.kind === 'decision' && effect.offset === offset)!
      .fired.find(({ reason }) => reason === 2)!.facts['device.trusted']!;
  return { phone: trusted(phone), thief: trusted(thief) };
}

it.each([1, 2, 3, 7])('a step-up makes the device that it was meant for trusted, in a batch of %i', (batch) => {
  const expected = { phone: 'true', thief: 'false' };
  expect(trustAfterStepUp(batch, (log) => log.operation('ana', { session: 's2', amount: '10' }))).toEqual(expected);
  const facts = tokenFacts({ nonce: 'n9', id: "bob's", key: 'k9' });
  expect(trustAfterStepUp(batch, (log) => log.login('bob', { session: 's9', facts }))).toEqual(expected);
});

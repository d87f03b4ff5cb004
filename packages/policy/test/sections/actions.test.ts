import { describe, expect, it } from 'vitest';
import { mistakesOf, policyOf } from '../load.ts';

const rule = "rules:\n  - { reason: 1, name: r, when: 'client.known', then: { action: 2 } }\n";

describe('an action', () => {
  it.each<[string, { stepUp: boolean; trusting: boolean; methods: readonly string[] | undefined }]>([
    ['Call', { stepUp: false, trusting: false, methods: undefined }],
    ['{ name: Call }', { stepUp: false, trusting: false, methods: undefined }],
    ['{ name: Ask, stepUp: true }', { stepUp: true, trusting: false, methods: undefined }],
    ['{ name: Ask, stepUp: false }', { stepUp: false, trusting: false, methods: undefined }],
    ['{ name: Ask, trusts: device }', { stepUp: true, trusting: true, methods: undefined }],
    [
      '{ name: Ask, trusts: { device: [passkey, token] } }',
      { stepUp: true, trusting: true, methods: ['passkey', 'token'] },
    ],
  ])('%s', (action, { stepUp, trusting, methods }) => {
    const policy = policyOf(`${rule}actions:\n  6: ${action}\n`);
    expect([policy.stepUps.has(6), policy.trusting.has(6)]).toEqual([stepUp, trusting]);
    expect(policy.trustMethods.get(6)).toEqual(methods);
  });

  it.each([
    ['{ name: Ask, trusts: user }', '4:27 trusts is never user => one of device'],
    ['{ name: Ask, trusts: {} }', '4:27 trusts names nothing => trusts: { device: [passkey, token] }'],
    ['{ name: Ask, trusts: { device: [] } }', '4:37 device names no method => trusts: { device: [passkey, token] }'],
    ['{ name: Ask, trusts: { device: [a, a] } }', '4:37 device has a method twice => each once'],
    ['{ name: Ask, stepUp: maybe }', '4:27 stepUp is never maybe => one of true, false'],
    [
      '{ name: Ask, stepUp: false, trusts: device }',
      '4:27 an action that trusts a device is a step-up => stepUp: true, or no trusts',
    ],
  ])('can not be %s', (action, mistake) => {
    expect(mistakesOf(`${rule}actions:\n  6: ${action}\n`)).toContain(mistake);
  });
});

describe('a rule', () => {
  it('can not read a fact of a report', () => {
    expect(mistakesOf(rule.replace('client.known', 'outcome.kind == "fraud"'))).toContain(
      '2:34 outcome.kind is a fact of a reported outcome: a rule reads a feature that counts outcomes (on: [outcome])',
    );
  });
});

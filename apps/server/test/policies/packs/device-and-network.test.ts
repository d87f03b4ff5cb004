import { runPolicyTests, unfiredRules } from '@ringfence/engine';
import { describe, expect, it } from 'vitest';
import { loadPack } from '../../../src/policies/policy-packs.ts';

const policy = loadPack('device-and-network')!;
const reports = runPolicyTests(policy);

describe('the pack of devices and networks', () => {
  it('has rules enough, each with what it catches and whom it may bother', () => {
    expect(policy.rules.length).toBeGreaterThanOrEqual(25);
    for (const { catches, falsePositives } of policy.rules) expect([catches, falsePositives]).not.toContain(undefined);
  });

  it.each(reports)('$name', ({ differences }) => {
    expect(differences).toEqual([]);
  });

  it('has a test that fires each rule, and one in which it nearly does', () => {
    expect(unfiredRules(policy, reports)).toEqual([]);
    for (const { reason } of policy.rules) {
      const own = policy.tests.filter(({ name }) => name.startsWith(`${reason}: `));
      const expected = own.map(({ expect: firings }) => firings.some((firing) => firing.reason === reason));
      expect([reason, new Set(expected)]).toEqual([reason, new Set([true, false])]);
    }
  });

  it('asks in each condition whether the facts are there', () => {
    for (const { text } of policy.rules) expect(text).toContain('has(');
  });
});

import { runPolicyTests, unfiredRules } from '@ringfence/engine';
import { describe, expect, it } from 'vitest';
import { loadPack } from '../../../src/policies/policy-packs.ts';

const policy = loadPack('device-and-network')!;
const reports = runPolicyTests(policy);

describe('the pack device-and-network', () => {
  it('has enough rules, each with what it catches and whom it may wrongly hit', () => {
    expect(policy.rules.length).toBeGreaterThanOrEqual(25);
    for (const { catches, falsePositives } of policy.rules) expect([catches, falsePositives]).not.toContain(undefined);
  });

  it.each(reports)('$name', ({ differences }) => {
    expect(differences).toEqual([]);
  });

  it('has a test that fires each rule, and a near miss', () => {
    expect(unfiredRules(policy, reports)).toEqual([]);
    for (const { reason } of policy.rules) {
      const own = policy.tests.filter(({ name }) => name.startsWith(`${reason}: `));
      const expected = own.map(({ expect: firings }) => firings.some((firing) => firing.reason === reason));
      expect([reason, new Set(expected)]).toEqual([reason, new Set([true, false])]);
    }
  });

  it('checks in each condition that the facts are present', () => {
    for (const { text } of policy.rules) expect(text).toContain('has(');
  });
});

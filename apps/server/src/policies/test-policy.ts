import { runPolicyTests, type TestReport, unfiredRules, unmissedRules } from '@ringfence/engine';
import type { Policy } from '@ringfence/policy';

/** The result of a policy's own tests, and the rules that they do not cover. */
export interface TestedPolicy {
  readonly tests: readonly TestReport[];
  /** Reasons of the rules that no test fires; without those of packs, which have their own tests. */
  readonly unfired: readonly number[];
  /** Reasons of the rules that no test shows at their edge; without those of packs. */
  readonly unmissed: readonly number[];
}

/** Runs a policy's own tests, like `ringfence policy test`. */
export function testPolicy(policy: Policy): TestedPolicy {
  const tests = runPolicyTests(policy);
  return { tests, unfired: unfiredRules(policy, tests), unmissed: unmissedRules(policy, tests) };
}

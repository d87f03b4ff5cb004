import { assert } from '@ringfence/contract';
import { runPolicyTests, type TestReport, unfiredRules, unmissedRules } from '@ringfence/engine';
import { loadPolicy, type PolicyFile } from '@ringfence/policy';

/** The result of a policy's own tests, and the rules that they do not cover. */
export interface TestedPolicy {
  readonly tests: readonly TestReport[];
  /** Reasons of the rules that no test fires; without those of packs, which have their own tests. */
  readonly unfired: readonly number[];
  /** Reasons of the rules that no test shows at their edge; without those of packs. */
  readonly unmissed: readonly number[];
}

/** Runs a policy's own tests, like `ringfence policy test`. */
export function testPolicy(files: readonly PolicyFile[]): TestedPolicy {
  const loaded = loadPolicy(files);
  assert(loaded.ok, 'a policy is checked before its tests run');
  const tests = runPolicyTests(loaded.policy);
  return { tests, unfired: unfiredRules(loaded.policy, tests), unmissed: unmissedRules(loaded.policy, tests) };
}

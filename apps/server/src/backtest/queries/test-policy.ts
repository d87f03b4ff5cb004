import { assert } from '@ringfence/contract';
import { runPolicyTests, type TestReport, unfiredRules, unmissedRules } from '@ringfence/engine';
import { loadPolicy, type PolicyFile } from '@ringfence/policy';

/** What came of a policy's own tests, and of which rules they say too little. */
export interface TestedPolicy {
  readonly tests: readonly TestReport[];
  /** Reasons of the rules that no test fires; of packs, whose tests stay with them, none. */
  readonly unfired: readonly number[];
  /** Reasons of the rules that no test shows at their edge; of packs none. */
  readonly unmissed: readonly number[];
}

/** Plays a policy's own tests, as `ringfence policy test` does. */
export function testPolicy(files: readonly PolicyFile[]): TestedPolicy {
  const loaded = loadPolicy(files);
  assert(loaded.ok, 'a policy is checked before its tests are played');
  const tests = runPolicyTests(loaded.policy);
  return { tests, unfired: unfiredRules(loaded.policy, tests), unmissed: unmissedRules(loaded.policy, tests) };
}

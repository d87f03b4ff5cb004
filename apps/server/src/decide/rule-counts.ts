import type { Decision } from '@ringfence/engine';

export interface RuleCount {
  readonly policyVersion: number;
  readonly reason: number;
  fired: number;
  shadow: number;
  suppressed: number;
  missing: number;
}

/** How often each rule of each policy version fired, was suppressed by its cooldown, or met a missing fact. */
export class RuleCounts {
  readonly #counts = new Map<string, RuleCount>();

  add(decision: Decision): void {
    for (const rule of decision.fired) {
      const count = this.#of(decision.policyVersion, rule.reason);
      if (rule.suppressed !== undefined) count.suppressed += 1;
      else if (rule.mode === 'live') count.fired += 1;
      else count.shadow += 1;
    }
    for (const reason of decision.missing) this.#of(decision.policyVersion, reason).missing += 1;
  }

  /** In a fixed order, so that two writers never deadlock on row locks. */
  rows(): readonly RuleCount[] {
    return [...this.#counts.values()].sort((a, b) => a.policyVersion - b.policyVersion || a.reason - b.reason);
  }

  #of(policyVersion: number, reason: number): RuleCount {
    const key = `${policyVersion}.${reason}`;
    let count = this.#counts.get(key);
    if (count === undefined) {
      count = { policyVersion, reason, fired: 0, shadow: 0, suppressed: 0, missing: 0 };
      this.#counts.set(key, count);
    }
    return count;
  }
}

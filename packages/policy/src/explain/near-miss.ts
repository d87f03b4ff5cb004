import type { Compiled } from '../compile/compiled.ts';
import type { Facts } from '../facts/fact-value.ts';
import type { Rule } from '../policy.ts';

/** Whether the rule did not match, but would have if one part of its condition had a different result. */
export function isNearMiss({ condition }: Pick<Rule, 'condition'>, facts: Facts): boolean {
  return flipsTo(true, condition, facts) === 1;
}

/** How many parts between `&&`, `||` and `!` must at least change their result; a missing one counts as false. */
function flipsTo(wanted: boolean, { logic, run }: Compiled, facts: Facts): number {
  if (logic === undefined) return (run(facts) === true) === wanted ? 0 : 1;
  const { operator, parts } = logic;
  if (operator === '!') return flipsTo(!wanted, parts[0]!, facts);
  const flips = parts.map((part) => flipsTo(wanted, part, facts));
  const needsAll = (operator === '&&') === wanted;
  return needsAll ? flips.reduce((sum, each) => sum + each, 0) : Math.min(...flips);
}

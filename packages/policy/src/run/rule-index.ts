import type { Facts, FactValue } from '../facts/fact-value.ts';
import type { Rule } from '../policy.ts';

/** Rules by the values that they require of one fact: lists of rule positions, each in order. */
interface Branch {
  readonly slot: number;
  /** The number of the list for each value. */
  readonly numbers: ReadonlyMap<FactValue, number>;
  readonly lists: readonly (readonly number[])[];
}

/** The number of the list for values that no rule requires: empty. */
const noneNumber = 0;
/** If the fact is missing, each of them must be evaluated, because its result may be missing. */
const allNumber = 1;
/** The maximum number of cached merged lists; events produce only a few combinations. */
const keptMax = 4_096;

/**
 * Finds the rules whose result can be anything but false: a rule that requires a value of a fact, such as
 * `transaction.category == "transfer" && …`, is skipped if the fact has another value. The requirements follow from the
 * condition alone, so the results are the same as when evaluating all rules.
 */
export class RuleIndex {
  readonly #unbound: readonly number[];
  readonly #branches: readonly Branch[];
  /** Merged lists, by the combined numbers of their lists. */
  readonly #kept = new Map<number, readonly number[]>();
  /** Whether the numbers of all lists can be combined into one number. */
  readonly #isCountable: boolean;

  /** @param rules in the order of evaluation */
  constructor(rules: readonly Pick<Rule, 'condition'>[]) {
    const spread = valuesPerSlot(rules);
    const slots = rules.map((rule) => chosenSlot(rule, spread));
    this.#unbound = slots.flatMap((slot, place) => (slot === undefined ? [place] : []));
    const bound = new Set(slots.filter((slot) => slot !== undefined));
    this.#branches = Array.from(bound, (slot) => branchOf(rules, slots, slot));
    this.#isCountable = this.#branches.reduce((all, { lists }) => all * lists.length, 1) <= Number.MAX_SAFE_INTEGER;
  }

  /** Positions of the rules to evaluate on these facts, in order. */
  find(facts: Facts): readonly number[] {
    if (!this.#isCountable) return this.#putTogether(facts);
    let combination = 0;
    for (const branch of this.#branches) combination = combination * branch.lists.length + numberIn(branch, facts);
    const kept = this.#kept.get(combination);
    if (kept !== undefined) return kept;
    const found = this.#putTogether(facts);
    if (this.#kept.size < keptMax) this.#kept.set(combination, found);
    return found;
  }

  #putTogether(facts: Facts): readonly number[] {
    const found = this.#branches.flatMap((branch) => branch.lists[numberIn(branch, facts)]!);
    return [...this.#unbound, ...found].toSorted((a, b) => a - b);
  }
}

/** The number of the list of rules to evaluate. */
function numberIn({ slot, numbers }: Branch, facts: Facts): number {
  const value = facts[slot];
  return value === undefined ? allNumber : (numbers.get(value) ?? noneNumber);
}

/** The required fact that separates the most rules. */
function chosenSlot({ condition }: Pick<Rule, 'condition'>, spread: ReadonlyMap<number, number>): number | undefined {
  const slots = (condition.demands ?? []).map(({ slot }) => slot);
  if (slots.length <= 1) return slots[0];
  return slots.reduce((best, slot) => (spread.get(slot)! > spread.get(best)! ? slot : best));
}

/** How many values the rules require of each fact. */
function valuesPerSlot(rules: readonly Pick<Rule, 'condition'>[]): ReadonlyMap<number, number> {
  const values = new Map<number, Set<unknown>>();
  for (const { condition } of rules) {
    for (const demand of condition.demands ?? []) {
      const known = values.get(demand.slot) ?? new Set();
      for (const value of demand.values) known.add(value);
      values.set(demand.slot, known);
    }
  }
  return new Map(Array.from(values, ([slot, { size }]) => [slot, size]));
}

function branchOf(
  rules: readonly Pick<Rule, 'condition'>[],
  slots: readonly (number | undefined)[],
  slot: number,
): Branch {
  const numbers = new Map<FactValue, number>();
  const lists: number[][] = [[], []];
  rules.forEach(({ condition }, place) => {
    if (slots[place] !== slot) return;
    lists[allNumber]!.push(place);
    const demands = condition.demands!.filter((demand) => demand.slot === slot);
    for (const value of demands[0]!.values as ReadonlySet<FactValue>) {
      const number = numbers.get(value) ?? lists.push([]) - 1;
      numbers.set(value, number);
      lists[number]!.push(place);
    }
  });
  return { slot, numbers, lists };
}

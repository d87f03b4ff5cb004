import type { Facts, FactValue } from '../facts/fact-value.ts';
import type { Rule } from '../policy.ts';

/** Rules by the values that they demand of one fact: lists of places, each in order. */
interface Branch {
  readonly slot: number;
  /** By value the number of its list. */
  readonly numbers: ReadonlyMap<FactValue, number>;
  readonly lists: readonly (readonly number[])[];
}

/** Number of the list of a value that nobody demands: empty. */
const noneNumber = 0;
/** Where the fact is missing, each of them has to be asked: it may come out as missing. */
const allNumber = 1;
/** Combinations of lists that are kept put together: an event has one of few. */
const keptMax = 4_096;

/**
 * Finds the rules that can come out as anything but false: those that demand a value of a fact, such as
 * `transaction.category == "transfer" && …`, are not asked where it has another one. What a rule demands is told by its
 * condition alone, so that asking only these gives the same as asking all.
 */
export class RuleIndex {
  readonly #unbound: readonly number[];
  readonly #branches: readonly Branch[];
  /** Lists put together, by the numbers of all of them as one. */
  readonly #kept = new Map<number, readonly number[]>();
  /** Whether the numbers of all lists can be told as one. */
  readonly #isCountable: boolean;

  /** @param rules in the order in which they are asked */
  constructor(rules: readonly Pick<Rule, 'condition'>[]) {
    const slots = rules.map((rule) => chosenSlot(rule, rules));
    this.#unbound = slots.flatMap((slot, place) => (slot === undefined ? [place] : []));
    const bound = new Set(slots.filter((slot) => slot !== undefined));
    this.#branches = Array.from(bound, (slot) => branchOf(rules, slots, slot));
    this.#isCountable = this.#branches.reduce((all, { lists }) => all * lists.length, 1) <= Number.MAX_SAFE_INTEGER;
  }

  /** Places of the rules to ask on these facts, in order. */
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

/** The number of the list of rules to ask. */
function numberIn({ slot, numbers }: Branch, facts: Facts): number {
  const value = facts[slot];
  return value === undefined ? allNumber : (numbers.get(value) ?? noneNumber);
}

/** Of the facts that a rule demands something of, the one that tells most rules apart. */
function chosenSlot(
  { condition }: Pick<Rule, 'condition'>,
  rules: readonly Pick<Rule, 'condition'>[],
): number | undefined {
  const slots = (condition.demands ?? []).map(({ slot }) => slot);
  if (slots.length <= 1) return slots[0];
  const spread = valuesPerSlot(rules);
  return slots.reduce((best, slot) => (spread.get(slot)! > spread.get(best)! ? slot : best));
}

const spreads = new WeakMap<readonly Pick<Rule, 'condition'>[], ReadonlyMap<number, number>>();

/** How many values the rules demand of each fact. */
function valuesPerSlot(rules: readonly Pick<Rule, 'condition'>[]): ReadonlyMap<number, number> {
  const known = spreads.get(rules);
  if (known !== undefined) return known;
  const values = new Map<number, Set<unknown>>();
  for (const { condition } of rules) {
    for (const demand of condition.demands ?? []) {
      values.set(demand.slot, new Set([...(values.get(demand.slot) ?? []), ...demand.values]));
    }
  }
  const spread = new Map(Array.from(values, ([slot, { size }]) => [slot, size]));
  spreads.set(rules, spread);
  return spread;
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

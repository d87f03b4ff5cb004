import type { Facts, FactValue } from './fact-value.ts';
import type { Rule } from './policy.ts';

/** Rules by the values that they demand of one fact. */
interface Branch {
  readonly slot: number;
  readonly places: ReadonlyMap<FactValue, readonly number[]>;
  /** Where the fact is missing, each of them has to be asked: it may come out as missing. */
  readonly all: readonly number[];
}

const none: readonly number[] = [];

/**
 * Finds the rules that can come out as anything but false: those that demand a value of a fact, such as
 * `transaction.category == "transfer" && …`, are not asked where it has another one. What a rule demands is told by its
 * condition alone, so that asking only these gives the same as asking all.
 */
export class RuleIndex {
  readonly #unbound: readonly number[];
  readonly #branches: readonly Branch[];
  /** What was found last, in order; and for each list that it is put together from how far that has been taken. */
  readonly #found: number[] = [];
  readonly #lists: (readonly number[])[] = [];
  readonly #next: number[] = [];

  /** @param rules in the order in which they are asked */
  constructor(rules: readonly Pick<Rule, 'condition'>[]) {
    const slots = rules.map((rule) => chosenSlot(rule, rules));
    this.#unbound = slots.flatMap((slot, place) => (slot === undefined ? [place] : []));
    const bound = new Set(slots.filter((slot) => slot !== undefined));
    this.#branches = Array.from(bound, (slot) => branchOf(rules, slots, slot));
  }

  /** Places of the rules to ask on these facts, in order; valid until the next call. */
  find(facts: Facts): readonly number[] {
    const lists = this.#lists;
    lists.length = 0;
    if (this.#unbound.length > 0) lists.push(this.#unbound);
    for (const { slot, places, all } of this.#branches) {
      const value = facts[slot];
      const list = value === undefined ? all : (places.get(value) ?? none);
      if (list.length > 0) lists.push(list);
    }
    return lists.length <= 1 ? (lists[0] ?? none) : this.#merged();
  }

  #merged(): readonly number[] {
    const [lists, next, found] = [this.#lists, this.#next, this.#found];
    next.length = lists.length;
    next.fill(0);
    found.length = 0;
    for (;;) {
      let least = Infinity;
      let from = -1;
      for (let list = 0; list < lists.length; list++) {
        const place = lists[list]![next[list]!];
        if (place === undefined || place >= least) continue;
        least = place;
        from = list;
      }
      if (from < 0) return found;
      found.push(least);
      next[from]!++;
    }
  }
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
  const places = new Map<FactValue, number[]>();
  const all: number[] = [];
  rules.forEach(({ condition }, place) => {
    if (slots[place] !== slot) return;
    all.push(place);
    const demands = condition.demands!.filter((demand) => demand.slot === slot);
    for (const value of demands[0]!.values as ReadonlySet<FactValue>) {
      const list = places.get(value);
      if (list === undefined) places.set(value, [place]);
      else list.push(place);
    }
  });
  return { slot, places, all };
}

import type { Facts } from '../facts/fact-value.ts';
import { listsIn } from './list-readers.ts';
import type { Condition, LiveItems, Policy, Rule } from '../policy.ts';
import { printFact } from '../facts/print-fact.ts';
import { readFact } from '../facts/read-fact.ts';

/** The result of one comparison of a rule. */
export interface ExplainedCondition {
  /** Its text, in canonical form. */
  readonly text: string;
  /** `undefined`: a fact that it needs was missing, or the result is unknown. */
  readonly holds: boolean | undefined;
  /** The values that it read, printed, by path; a missing fact is `undefined`. */
  readonly values: Readonly<Record<string, string | undefined>>;
}

export interface Explanation {
  readonly holds: boolean | undefined;
  /** The parts between `&&` and `||`, in the order of the text. */
  readonly conditions: readonly ExplainedCondition[];
}

/** Explains why a rule fired on these facts, or why it did not. */
export function explain(rule: Rule, facts: Facts): Explanation {
  return {
    holds: rule.when(facts),
    conditions: rule.conditions.map((condition) => explainCondition(condition, facts)),
  };
}

/** How many live lists of one rule are analysed; if there are more, their results are unknown. */
const listsMax = 6;

/**
 * Explains why a rule fired from its decision's record: the facts that it read, printed. The items of live lists are
 * not recorded. Their results are shown as far as they follow from the fact that the rule fired.
 */
export function explainFired(
  rule: Rule,
  kept: Readonly<Record<string, string>>,
  { lists }: Pick<Policy, 'lists'>,
): Explanation {
  const facts = keptFacts(rule, kept);
  const asked = listsIn(rule.text);
  const live = lists.filter((list) => list.live !== undefined && asked.includes(list.name));
  if (live.length === 0) return explain(rule, facts);
  const possible =
    live.length > listsMax
      ? []
      : fillings(
          live.map((list) => list.live!.slot),
          facts,
        );
  const explained = possible.map((filled) => explain(rule, filled)).filter(({ holds }) => holds === true);
  const conditions = rule.conditions.map((condition, at): ExplainedCondition => {
    const told = explainCondition(condition, facts);
    const names = listsIn(condition.text);
    if (!live.some(({ name }) => names.includes(name))) return told;
    const outcomes = new Set(explained.map((one) => one.conditions[at]!.holds));
    const [outcome] = isGoneThrough(condition, live) || outcomes.size !== 1 ? [] : outcomes;
    return { ...told, holds: outcome };
  });
  return { holds: true, conditions };
}

function keptFacts(rule: Rule, kept: Readonly<Record<string, string>>): Facts {
  const facts: Facts = [];
  for (const { path, slot, type } of rule.reads) {
    const text = kept[path];
    if (text !== undefined) facts[slot] = readFact(text, type);
  }
  return facts;
}

/** The facts, with each of the lists either containing every value or none. */
function fillings(slots: readonly number[], facts: Facts): readonly Facts[] {
  const [slot, ...others] = slots;
  if (slot === undefined) return [facts];
  return [true, false].flatMap((holds) => {
    const filled = [...facts];
    const items: LiveItems = { has: () => holds, texts: () => [] };
    filled[slot] = items as unknown as Facts[number];
    return fillings(others, filled);
  });
}

/** Whether the items themselves are read: `lists.words.exists(…)`. */
function isGoneThrough({ text }: Condition, live: readonly { readonly name: string }[]): boolean {
  return live.some(({ name }) => text.includes(`lists.${name}.`));
}

function explainCondition(condition: Condition, facts: Facts): ExplainedCondition {
  const values = condition.reads.map(({ path, slot, type }) => {
    const value = facts[slot];
    return [path, value === undefined ? undefined : printFact(value, type)] as const;
  });
  return { text: condition.text, holds: condition.holds(facts), values: Object.fromEntries(values) };
}

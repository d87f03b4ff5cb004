import { eventKinds } from '@ringfence/contract';
import { policyCostMax } from './compile/bounds.ts';
import type { Item } from './document/item.ts';
import { scorePath } from './facts.ts';
import type { ReadFeature } from './sections/feature-shape.ts';
import type { ReadRule } from './sections/read-rules.ts';
import { SharedConditions } from './shared-conditions.ts';

/** What a rule or a feature adds to the cost of an event. */
interface Part {
  readonly name: string;
  readonly item: Item;
  readonly cost: number;
}

/** As many as are worth looking at first. */
const namedMax = 3;

/**
 * Steps that the policy can take for one event, of the kind that it takes most for: every rule for events of the kind that is
 * not off is asked and fires, and fills in its messages. What rules share is computed once.
 *
 * @returns `undefined` when that is too much; then it was reported, at the dearest part
 */
export function checkCost(rules: readonly ReadRule[], features: readonly ReadFeature[]): number | undefined {
  const kinds = eventKinds.map((kind) => {
    const asked = rules.filter(({ rule }) => rule.mode !== 'off' && rule.on.has(kind));
    const counted = features.filter(({ feature }) => feature?.on.has(kind) === true);
    const parts = [...rulesOf(asked), ...counted.map(featurePart)];
    return { kind, parts, total: parts.reduce((sum, { cost }) => sum + cost, 0) };
  });
  const { kind, parts, total } = kinds.reduce((most, one) => (one.total > most.total ? one : most));
  if (total <= policyCostMax) return total;
  const dearest = parts.toSorted((a, b) => b.cost - a.cost).slice(0, namedMax);
  const named = dearest.map(({ name, cost }) => `${name} ${cost}`).join(', ');
  return dearest[0]?.item.fail(
    `the policy takes too long for one ${kind}: up to ${total} steps, of which ${named}`,
    `at most ${policyCostMax}: shorter patterns, lists.words.exists(…) for many words, off what is not needed`,
  );
}

function rulesOf(rules: readonly ReadRule[]): readonly Part[] {
  const conditions = rules.map(({ rule }) => rule.condition);
  const shared = new SharedConditions(
    rules.map(({ rule }) => rule),
    (path) => path === scorePath,
  );
  const costs = shared.costs(conditions);
  return rules.map(({ rule, item }, at) => ({
    name: `rule ${rule.reason}`,
    item,
    cost: rule.then.reduce((sum, action) => sum + action.cost, costs[at]!),
  }));
}

function featurePart({ names: [{ path }], keyItem, whereCost = 0 }: ReadFeature): Part {
  return { name: `feature ${path}`, item: keyItem, cost: whereCost };
}

import { type EventKind, eventKinds } from '@ringfence/contract';
import { policyCostMax } from '../compile/bounds.ts';
import type { Item } from '../document/item.ts';
import { scorePath } from '../facts/facts.ts';
import { featureCost } from './feature-cost.ts';
import type { ReadFeature } from '../sections/feature-shape.ts';
import type { ReadModel } from '../sections/read-models.ts';
import type { ReadRule } from '../sections/read-rules.ts';
import { SharedConditions } from '../run/shared-conditions.ts';

/** The cost that a rule or a feature adds to an event. */
interface Part {
  readonly name: string;
  readonly item: Item;
  readonly cost: number;
}

/** Enough to show where to start. */
const namedMax = 3;
const dearKinds = 'median, percentile, topShare, habit, stddev';

/**
 * The most steps that the policy can cost for one event, for the kind of event that costs most. It assumes that every
 * rule for such events that is not off is evaluated and fires, and fills in its messages and its summary. Conditions that rules share
 * are computed once. Features read by these rules are scanned to their full depth.
 *
 * @param costMax the bound, which depends on the workspace
 * @returns `undefined` if the cost is too high; that was reported at the most expensive part
 */
export function checkCost(
  rules: readonly ReadRule[],
  { features, models }: { readonly features: readonly ReadFeature[]; readonly models: readonly ReadModel[] },
  costMax: number,
): number | undefined {
  const kinds = eventKinds.map((kind) => {
    const asked = rules.filter(({ rule }) => rule.mode !== 'off' && rule.on.has(kind));
    const readBy = new Set(asked.flatMap(({ uses }) => uses));
    const ofModels = modelsOf(models, readBy, kind);
    const ofFeatures = featuresOf(features, readBy, kind);
    const parts = [...rulesOf(asked), ...ofModels, ...ofFeatures];
    return { kind, parts, total: totalOf(parts), ofFeatures: totalOf(ofFeatures) };
  });
  const { kind, parts, total, ofFeatures } = kinds.reduce((most, one) => (one.total > most.total ? one : most));
  if (total <= costMax) return total;
  const dearest = parts.toSorted((a, b) => b.cost - a.cost).slice(0, namedMax);
  const named = dearest.map(({ name, cost }) => `${name} ${cost}`).join(', ');
  return dearest[0]?.item.fail(
    `the policy costs too much per ${kind}: up to ${total} steps, ${ofFeatures} of them for features; the most expensive parts are ${named}`,
    `at most ${costMax}${costMax < policyCostMax ? whyLess : ''}: use fewer features of the expensive kinds (${dearKinds}), shorter patterns, lists.words.exists(…) to search for many words, and mode: off for rules that are not needed`,
  );
}

/** The bound of production is larger. */
const whyLess = ` in a development workspace (${policyCostMax} in production)`;

function totalOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { cost }) => sum + cost, 0);
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
    cost: [...rule.then, ...rule.summary].reduce((sum, text) => sum + text.cost, costs[at]!),
  }));
}

/** A model is evaluated if a rule for such events reads it. What it reads is added to `readBy`. */
function modelsOf(models: readonly ReadModel[], readBy: Set<string>, kind: EventKind): readonly Part[] {
  return models.flatMap(({ model, names, keyItem, cost }) => {
    if (!model.on.has(kind) || !names.some(({ path }) => readBy.has(path))) return [];
    for (const path of model.reads) readBy.add(path);
    return [{ name: `model ${model.name}`, item: keyItem, cost }];
  });
}

/**
 * An event that counts for a feature evaluates its `where`. The value is computed if a rule for such events reads it.
 */
function featuresOf(features: readonly ReadFeature[], readBy: Set<string>, kind: EventKind): readonly Part[] {
  for (const { ratio } of features) {
    if (ratio !== undefined && readBy.has(ratio.name)) readBy.add(ratio.of.name).add(ratio.to.name);
  }
  return features.flatMap(({ names, feature, keyItem, whereCost = 0 }) => {
    if (feature === undefined) return [];
    const isRead = names.some(({ path }) => readBy.has(path));
    const cost = (feature.on.has(kind) ? whereCost : 0) + (isRead ? featureCost(feature.keeps) : 0);
    return [{ name: `feature ${feature.name}`, item: keyItem, cost }];
  });
}

export { type Completion, completions } from './completions.ts';
export { policyCostMax } from './compile/bounds.ts';
export { diffPolicies, type PolicyChange, printChange } from './diff-policies.ts';
export { exactRows, featureExactness } from './feature-exactness.ts';
export { explain, explainFired, type ExplainedCondition, type Explanation } from './explain.ts';
export { clientPaths, factDefinition, factDefinitions } from './facts.ts';
export { pairText, partsOfItem, readItem } from './item-text.ts';
export { loadPolicy } from './load-policy.ts';
export { nearest } from './nearest.ts';
export { isNearMiss } from './near-miss.ts';
export { addressBehind, parseAddress, parseNetwork } from './networks.ts';
export type { Facts, FactType, FactValue, Predicate } from './fact-value.ts';
export type {
  ActionTemplate,
  Feature,
  KeptKind,
  LiveItems,
  Policy,
  PolicyError,
  PolicyFile,
  PolicyPack,
  PolicyParam,
  PolicyList,
  PolicyTest,
  Ratio,
  Read,
  Rule,
} from './policy.ts';
export { shareWhole } from './policy.ts';
export { hourOfDay, weekdayOf } from './local-time.ts';
export { printFact } from './print-fact.ts';
export { readFact } from './read-fact.ts';
export { factsReadInPart } from './read-in-part.ts';
export { RuleIndex } from './rule-index.ts';
export { actionText } from './sections/read-actions.ts';
export { featureKinds } from './sections/feature-kinds.ts';
export { rulesReading } from './list-readers.ts';
export { liveListBounds } from './sections/read-lists.ts';
export { capCountMax, printCap, printCooldown, printShare } from './sections/spans.ts';
export { searchFacts, type SearchPolicy, searchPolicy } from './search-policy.ts';
export { SharedConditions } from './shared-conditions.ts';
export { zoneTableHash, zoneTableVersion } from './zones/zone-table.generated.ts';
export { isZoneName } from './zones/zones.ts';
export { withPacks } from './with-packs.ts';

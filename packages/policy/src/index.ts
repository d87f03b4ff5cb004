export { type Completion, completions } from './explain/completions.ts';
export { developmentCostMax, policyCostMax } from './compile/bounds.ts';
export { controlsOf, type ModelControl, raisedControl } from './diff/raised-control.ts';
export { diffPolicies, type PolicyChange, printChange } from './diff/diff-policies.ts';
export { exactRows, featureExactness } from './check/feature-exactness.ts';
export { explain, explainFired, type ExplainedCondition, type Explanation } from './explain/explain.ts';
export { clientPaths, factDefinition, factDefinitions, outcomeFactDefinitions } from './facts/facts.ts';
export { canName, isReportedFact } from './facts/own-facts.ts';
export { neverMatched, pairText, partsOfItem, readItem } from './facts/item-text.ts';
export { loadPolicy } from './check/load-policy.ts';
export type { Expression } from './expression/node.ts';
export { printExpression } from './expression/print.ts';
export { readCondition } from './explain/read-condition.ts';
export { isNearMiss } from './explain/near-miss.ts';
export { addressNumbers, parseNetwork } from './values/networks.ts';
export type { Facts, FactType, FactValue, Predicate } from './facts/fact-value.ts';
export type {
  ActionTemplate,
  CountedKind,
  Feature,
  FeatureKind,
  HoldEnd,
  HoldTerms,
  KeptKind,
  LiveItems,
  Model,
  Policy,
  PolicyError,
  PolicyFile,
  PolicyPack,
  PolicyParam,
  PolicyList,
  PolicyTest,
  ControlShare,
  Ratio,
  Read,
  Rule,
  SummaryPart,
  SummaryTemplate,
  TestOutcome,
} from './policy.ts';
export { shareWhole } from './policy.ts';
export { afterBusinessTime } from './values/business-hours.ts';
export { hourOfDay, localTime, weekdayOf } from './values/local-time.ts';
export { printFact } from './facts/print-fact.ts';
export { readFact } from './facts/read-fact.ts';
export { factsReadInPart } from './lint/partial-reads.ts';
export { RuleIndex } from './run/rule-index.ts';
export { actionText } from './sections/read-actions.ts';
export { featureDefinitions, featureKinds, keptFor, typeOfFeature } from './sections/feature-kinds.ts';
export { rulesReadingFeatures } from './explain/feature-readers.ts';
export { rulesReading } from './explain/list-readers.ts';
export { liveListBounds } from './sections/read-lists.ts';
export { printCap, printCooldown, printShare } from './sections/spans.ts';
export { searchFacts, type SearchPolicy, searchPolicy } from './explain/search-policy.ts';
export { SharedConditions } from './run/shared-conditions.ts';
export { zoneTableHash, zoneTableVersion } from './zones/zone-table.generated.ts';
export { artifactsNamed } from './check/policy-artifacts.ts';
export { isArtifact } from './document/artifact-file.ts';
export { writeModel } from './document/write-model.ts';
export {
  type ExplainedInput,
  explainKept,
  explainModel,
  type ModelExplanation,
  mostRaising,
} from './explain/explain-model.ts';
export { type ModelEvaluation, ModelRun } from './run/model-run.ts';
export { type InWords, type WordLanguage, wordLanguages } from './words/language.ts';
export { printControl } from './sections/read-control.ts';
export { modelBounds, typeOfResult } from './sections/read-models.ts';
export { formatDuration, parseDuration } from './values/duration.ts';
export { isPlaceZone, zoneMeant } from './zones/zones.ts';
export { withPacks } from './check/with-packs.ts';
export { writeParam } from './document/write-param.ts';

export { explain, type ExplainedCondition, type Explanation } from './explain.ts';
export { currencyOf, type FactDefinition, factDefinition, factDefinitions, type FactSource } from './facts.ts';
export { loadPolicy } from './load-policy.ts';
export type {
  ActionTemplate,
  Condition,
  Facts,
  FactType,
  FactValue,
  Feature,
  FeatureKind,
  Policy,
  PolicyError,
  PolicyFile,
  PolicyResult,
  PolicyTest,
  Predicate,
  Read,
  Rule,
  Slots,
} from './policy.ts';
export { printFact } from './print-fact.ts';
export { defaultActions } from './sections/read-actions.ts';

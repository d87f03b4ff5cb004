export {
  beginCheckpoint,
  checkpointCommitted,
  type CheckpointEntity,
  checkpointOf,
  evict,
  type GradualCheckpoint,
  residentBytes,
  residentCount,
  restoreState,
  supply,
  type SuppliedEntity,
} from './store/checkpoint/checkpoint.ts';
export { type ClientStatus, clientStatus, storedClientStatus } from './clients/client-status.ts';
export { clientKey } from './store/store.ts';
export type { EntitySource, EntityStates } from './store/checkpoint/entity-states.ts';
export { readHead } from './store/checkpoint/globals-codec.ts';
export { formVersions } from './store/checkpoint/form-versions.ts';
export type {
  Action,
  Decision,
  Effect,
  FiredRule,
  HoldEffect,
  HoldJoined,
  HoldKept,
  HoldLeft,
  HoldOpened,
  HoldResolved,
  RuleSummary,
} from './effect.ts';
export type { KeptBecause, Resolution } from './holds/hold.ts';
export { newFeatures } from './deciding/step-control.ts';
export { encodeDecision, encodeHoldEffect } from './encode-decision.ts';
export { engineVersion } from './engine-version.ts';
export { endingPosition, roomyShare, suppressionsMax, tokenReachMs, togetherMax } from './limits.ts';
export { readsLabels } from './deciding/take-label.ts';
export { sandboxReasons } from './deciding/sandbox.ts';
export { explainLast, explainModels } from './deciding/explain-last.ts';
export {
  rulesTestedInPacks,
  runPolicyTests,
  type TestReport,
  unfiredRules,
  unmissedRules,
} from './policy-tests/policy-tests.ts';
export type {
  ActionRef,
  ChannelSettings,
  EngineRecord,
  EngineSettings,
  EventRecord,
  HeldChange,
  HistoryStart,
  HoldChange,
  Label,
  LabelRecord,
  ListChange,
  Outcome,
  OutcomeReport,
  ReportRecord,
  SubjectId,
  Suppression,
  SuppressionOf,
  ToldLabel,
  ToldReport,
} from './record.ts';
export { defaultSettings, type EngineState, newState, type StateOptions } from './state.ts';
export { keysOf, leaveWaiting, nextDueMs, step, stillWaiting, type SteppedTogether, stepTogether } from './step.ts';
export { forgetErased } from './forget-erased.ts';

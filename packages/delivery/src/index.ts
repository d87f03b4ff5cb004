export {
  type ActionState,
  moves,
  type Redeliverable,
  redeliverable,
  redeliverableAgain,
  redeliveredByDefault,
} from './action-state.ts';
export { shownCounts, type ShownState, shownState, storedState } from './shown-state.ts';
export type { LeasedAction, NewAction, StoredAction } from './action.ts';
export { type ActionPayload, decodeActionPayload, encodeActionPayload, hashActionContent } from './action-payload.ts';
export {
  type AddressVerdict,
  type AllowedRange,
  checkAddress,
  type Cidr,
  classifyAddress,
  localWebhooks,
  parseCidr,
  rangesAt,
  rangesOf,
  type WebhookOwner,
} from './address-guard.ts';
export { type Breaker, closedBreaker, type Health, probeEveryMs } from './breaker.ts';
export {
  type ActionFilter,
  type Deliveries,
  isPauseOf,
  type NumberedAttempt,
  type Pause,
  type PauseScope,
  type Selection,
} from './deliveries.ts';
export { encryptClient } from './encrypt-client.ts';
export { endingLifetimeMs, lifetimeMs } from './expiry.ts';
export type { FailureReason } from './failure-reason.ts';
export { hashClient } from './hash-client.ts';
export { actionId, type ActionIdentity, parseActionId } from './identity.ts';
export {
  type Attempt,
  batchMax,
  type BreakerChange,
  type Completed,
  type Completion,
  type EndingReadiness,
  type LeasePlaces,
  type Outbox,
  leaseMs,
  type PendingOutcome,
} from './outbox.ts';
export { refusalOf, verdictOf } from './outcome.ts';
export { PostgresOutbox } from './postgres-outbox.ts';
export { type BreakerTable, closedColumns, foldHealthInto, readBreakers } from './postgres/breaker-row.ts';
export { type ChangedAction, dropActions, releaseActions } from './postgres/change-actions.ts';
export { noteAnswered } from './postgres/end-holds.ts';
export { insertActions } from './postgres/insert-actions.ts';
export { checkPublicKey } from './public-key.ts';
export { afterFailure } from './retry.ts';
export {
  deliverySchema,
  deliverySteps,
  endedActionsIndex,
  finishedActionsIndex,
  holdActionsSchema,
  largeOutboxIndexes,
  ruleActionsIndex,
  ruleStatesIndex,
  sessionOrderIndexes,
} from './schema.ts';
export { percentEncode, secretText, sign, signHeaders, verify } from './signature.ts';
export { isUrgent } from './urgent.ts';
export { webhookUrlProblem } from './webhook-url.ts';

export { type ActionState, moves, type Redeliverable, redeliverable } from './action-state.ts';
export type { ActionCore, LeasedAction, NewAction, StoredAction } from './action.ts';
export {
  type ActionContent,
  type ActionPayload,
  decodeActionPayload,
  encodeActionPayload,
  hashActionContent,
} from './action-payload.ts';
export {
  type AddressClass,
  type AddressVerdict,
  checkAddress,
  type Cidr,
  classifyAddress,
  parseCidr,
} from './address-guard.ts';
export { type Breaker, type Health, probeEveryMs } from './breaker.ts';
export {
  type ActionFilter,
  changeMax,
  type Deliveries,
  type NumberedAttempt,
  type Pause,
  type PauseScope,
  type Selection,
} from './deliveries.ts';
export { encryptClient } from './encrypt-client.ts';
export { lifetimeMs } from './expiry.ts';
export type { FailureReason } from './failure-reason.ts';
export { hashClient } from './hash-client.ts';
export { type ActionIdentity, actionId, parseActionId } from './identity.ts';
export { MemoryOutbox } from './memory-outbox.ts';
export {
  type Attempt,
  batchMax,
  type BreakerChange,
  type Completed,
  type Completion,
  type EndpointTarget,
  leaseMs,
  type LeasePlaces,
  type Outbox,
  type OutcomeResult,
  type PendingOutcome,
  type TidyResult,
} from './outbox.ts';
export { type Verdict, verdictOf, type WebhookAnswer } from './outcome.ts';
export { PostgresOutbox } from './postgres-outbox.ts';
export { dropActions, releaseActions } from './postgres/change-actions.ts';
export { insertActions } from './postgres/insert-actions.ts';
export { checkPublicKey, type PublicKeyCheck } from './public-key.ts';
export { afterFailure, type Failure, type Next } from './retry.ts';
export { deliverySchema, endedActionsIndex, finishedActionsIndex } from './schema.ts';
export {
  parseSecret,
  secretText,
  sign,
  type SignedParts,
  type SignedRequest,
  type Verification,
  verify,
} from './signature.ts';
export { isUrgent } from './urgent.ts';
export { literalAddress, webhookUrlProblem, type WebhookUrlRules } from './webhook-url.ts';

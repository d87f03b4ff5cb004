export { type Clock, processClock } from './clock.ts';
export type { Decided, DecidedAction, Decision, FiredRule, Pending, SuppressedAction } from './decision.ts';
export type { DropReason, OnDrop } from './drop.ts';
export type {
  Amount,
  EventKind,
  LoginEvent,
  LogoutEvent,
  OperationEvent,
  OutcomeReport,
  RingfenceEvent,
} from './event.ts';
export { hashClient } from './hash-client.ts';
export type { TlsOptions } from './http-transport.ts';
export type { RingfenceOptions } from './options.ts';
export { createRingfence, type Report, type Ringfence, type SendOptions, type WaitOptions } from './ringfence.ts';
export type {
  AboutEvent,
  AboutSession,
  ActionStatus,
  AskStatus,
  EventStatus,
  SessionStatus,
  StatusOptions,
  StatusResult,
} from './status.ts';
export type { Stats } from './stats.ts';
export type { Transport, TransportAnswer, TransportRequest } from './transport.ts';
export {
  type ActionRequest,
  type ActionResponse,
  type ActionResult,
  actions,
  type ReceivedAction,
} from './webhook/action.ts';
export { type Claim, createMemoryDedupeStore, type DedupeStore } from './webhook/dedupe-store.ts';
export { expressHandler } from './webhook/express-handler.ts';
export { fastifyPlugin, type WebhookPluginOptions } from './webhook/fastify-plugin.ts';
export { type NodeHandler, nodeHandler } from './webhook/node-handler.ts';
export type { BodyBounds } from './webhook/read-body.ts';
export {
  createWebhookReceiver,
  type WebhookAnswer,
  type WebhookReceiver,
  type WebhookReceiverOptions,
  type WebhookRequest,
  type WebhookTrouble,
} from './webhook/receiver.ts';

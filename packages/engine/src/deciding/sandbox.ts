import type { Action, FiredRule } from '../effect.ts';
import { holdPayment } from '../holds/hold-payment.ts';
import type { EventFrame } from '../plan/event-frame.ts';
import type { EngineState } from '../state.ts';
import { actionOn } from './action-on.ts';
import { awaitOutcome, type RulesApplied } from './apply-rules.ts';

/** The reasons of what a developer asked for. A policy with a rule of the same number keeps it: nothing is added. */
export const sandboxReasons = { action: 9_900_001, failTimeout: 9_900_002, expire: 9_900_003 } as const;

/** Sends an e-mail: it changes nothing in the engine. */
const harmlessAction = 3;
/** The actions that the interface defines; all others must be named by the policy. */
const definedActionsMax = 5;

interface Wanted {
  readonly reason: number;
  readonly action: number;
}

/**
 * Adds the action that an operation of a development workspace asks for by `transaction.details`
 * (`ringfence.test`). Ingest has copied the text into the enrichment, which it does in development only.
 */
export function withSandbox(state: EngineState, frame: EventFrame, applied: RulesApplied): RulesApplied {
  const test = frame.arrival.record.enrichment.sandbox;
  if (test === undefined) return applied;
  const wanted = wantedBy(state, test);
  if (wanted === undefined) return applied;
  // A repeat of an operation that the sandbox holds has its action already.
  if (applied.actions.some(({ reason }) => reason === wanted.reason)) return applied;
  const fired: FiredRule = {
    reason: wanted.reason,
    name: `Sandbox: ${test}`,
    mode: 'live',
    suppressed: undefined,
    facts: {},
  };
  const action = actionOn(frame, {
    reason: wanted.reason,
    position: 0,
    action: wanted.action,
    state: stateOf(state, frame),
    message: `Sandbox: ${test}`,
    format: 'text',
  });
  awaitOutcome(state, frame, action);
  const terms = action.state === 'due' ? state.policy?.holds.get(action.action) : undefined;
  const held =
    terms === undefined || applied.held.length > 0
      ? applied.held
      : holdPayment(state, frame, { holding: [{ action, terms }], earlier: undefined }).effects;
  return { ...applied, fired: [...applied.fired, fired], actions: [...applied.actions, action], held };
}

function wantedBy({ policy }: EngineState, test: string): Wanted | undefined {
  const wanted = readTest(test);
  if (wanted === undefined || policy?.rules.some(({ reason }) => reason === wanted.reason) === true) return undefined;
  const isKnown = wanted.action <= definedActionsMax || policy?.actions.has(wanted.action) === true;
  return isKnown ? wanted : undefined;
}

function readTest(test: string): Wanted | undefined {
  const action = /^action:([1-9]\d{0,8})$/.exec(test)?.[1];
  if (action !== undefined) return { reason: sandboxReasons.action, action: Number(action) };
  if (test === 'fail:timeout') return { reason: sandboxReasons.failTimeout, action: harmlessAction };
  return test === 'expire' ? { reason: sandboxReasons.expire, action: harmlessAction } : undefined;
}

function stateOf({ settings }: EngineState, { client }: EventFrame): Action['state'] {
  if (client === undefined) return 'notAddressable';
  return settings.deliver === 'observe' ? 'observed' : 'due';
}

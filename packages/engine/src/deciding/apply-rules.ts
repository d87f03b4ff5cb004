import { clientOf, sessionOf } from '@ringfence/contract';
import { type ActionTemplate, type Facts, printFact, type Rule } from '@ringfence/policy';
import type { ClientEntity } from '../clients/client-entity.ts';
import type { Action, FiredRule } from '../effect.ts';
import type { EventContext } from '../facts/event-context.ts';
import { sessionState } from '../sessions/session.ts';
import type { EngineState } from '../state.ts';
import { ActionTimes } from './action-times.ts';

export interface RulesApplied {
  readonly fired: readonly FiredRule[];
  /** Reasons of rules whose condition met a missing fact. */
  readonly missing: readonly number[];
  readonly actions: readonly Action[];
}

interface Firing {
  readonly rule: Rule;
  readonly facts: Facts;
  readonly context: EventContext;
  /** `undefined` when the event names no client. */
  readonly client: ClientEntity | undefined;
}

const none: readonly never[] = [];

/** Asks every rule for this kind of event, by reason; all that match fire. Facts must be filled, features included. */
export function applyRules(state: EngineState, context: EventContext, client: ClientEntity | undefined): RulesApplied {
  const { facts, kinds } = state.plan;
  let fired: FiredRule[] | undefined;
  let missing: number[] | undefined;
  let actions: Action[] | undefined;
  for (const rule of kinds[context.event.kind].rules) {
    const matches = rule.when(facts);
    if (matches === undefined) (missing ??= []).push(rule.reason);
    if (matches !== true) continue;
    const firing = { rule, facts, context, client };
    const isCooling = startsNoCooldown(firing);
    (fired ??= []).push({
      reason: rule.reason,
      name: rule.name,
      mode: rule.mode === 'shadow' ? 'shadow' : 'live',
      suppressed: isCooling ? 'cooldown' : undefined,
      facts: printedFacts(rule, facts),
    });
    if (rule.mode === 'live' && !isCooling) {
      actions ??= [];
      rule.then.forEach((template, position) => actions!.push(act(state, firing, { template, position })));
    }
  }
  return { fired: fired ?? none, missing: missing ?? none, actions: actions ?? none };
}

/** Whether the rule is within its cooldown; if not, its cooldown begins. Without a client there is none. */
function startsNoCooldown({ rule, context, client }: Firing): boolean {
  if (rule.cooldown === undefined || client === undefined) return false;
  const key = cooldownKey(rule, context);
  if (client.isCooling(key, context.nowMs)) return true;
  client.cool(key, context.nowMs + rule.cooldown.ms, context.nowMs);
  return false;
}

/** A rule in shadow cools on its own: what it would have done never holds back what it does once it is live. */
function cooldownKey(rule: Rule, { event }: EventContext): string {
  const name = `${rule.reason}${rule.mode === 'shadow' ? ' shadow' : ''}`;
  return rule.cooldown?.per === 'client' ? name : `${name} ${event.channelId} ${sessionOf(event) ?? ''}`;
}

function printedFacts(rule: Rule, facts: Facts): Readonly<Record<string, string>> {
  const printed: Record<string, string> = {};
  for (const { path, slot, type } of rule.reads) {
    const value = facts[slot];
    if (value !== undefined) printed[path] = printFact(value, type);
  }
  return printed;
}

function act(
  state: EngineState,
  firing: Firing,
  { template, position }: { readonly template: ActionTemplate; readonly position: number },
): Action {
  const { rule, context } = firing;
  const { event, arrival } = context;
  const action: Action = {
    kind: 'action',
    offset: arrival.record.offset,
    reason: rule.reason,
    position,
    action: template.action,
    state: actionState(state, firing),
    channelId: event.channelId,
    session: sessionOf(event) ?? '',
    client: clientOf(event),
    subject: firing.client?.subject,
    message: template.render(firing.facts),
    format: template.format,
    atMs: context.nowMs as Action['atMs'],
  };
  awaitOutcome(firing, action);
  return action;
}

function actionState(state: EngineState, { rule, client, context }: Firing): Action['state'] {
  if (client === undefined) return 'notAddressable';
  if (state.settings.deliver === 'observe') return 'observed';
  if (rule.maxActions === undefined) return 'due';
  let times = state.actionTimes.get(rule.reason);
  if (times === undefined) {
    times = new ActionTimes();
    state.actionTimes.set(rule.reason, times);
  }
  if (!times.hasRoom(rule.maxActions, context.nowMs)) return 'held';
  times.note(context.nowMs, rule.maxActions);
  return 'due';
}

/** Actions 1 and 2 change what comes after once they are executed. One that is held may still be let go. */
function awaitOutcome({ client, context }: Firing, { offset, reason, position, action, state }: Action): void {
  if (client === undefined || (action !== 1 && action !== 2) || (state !== 'due' && state !== 'held')) return;
  const { after } = context.session;
  const isOpen = after !== undefined && sessionState(after, context.nowMs) === 'active';
  const session = isOpen ? { channelId: after.channelId, id: after.id, openedOffset: after.openedOffset } : undefined;
  client.await({ offset, reason, position, action, session });
}

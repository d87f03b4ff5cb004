import { sessionOf } from '@ringfence/contract';
import { type ActionTemplate, type Facts, printFact, type Rule, shareWhole } from '@ringfence/policy';
import type { ClientEntity } from '../clients/client-entity.ts';
import type { Action, FiredRule, HoldEffect, RuleSummary } from '../effect.ts';
import { type EarlierHold, earlierHold, type Holding, holdPayment } from '../holds/hold-payment.ts';
import type { EventFrame } from '../plan/event-frame.ts';
import type { EngineState } from '../state.ts';
import { actionOn } from './action-on.ts';
import { ActionTimes } from './action-times.ts';
import type { SuppressionOf } from '../record.ts';
import { payeeOf } from '../facts/payee.ts';
import { rememberedTimes } from '../limits.ts';
import { scorePath } from '../plan/planned-rules.ts';
import { firesByControlled } from './control-group.ts';
import { isInShare } from './share.ts';

export interface RulesApplied {
  readonly fired: readonly FiredRule[];
  /** Reasons of rules whose condition met a missing fact. */
  readonly missing: readonly number[];
  readonly score: number;
  readonly actions: readonly Action[];
  /** What it did to holds. */
  readonly held: readonly HoldEffect[];
}

interface Firing {
  readonly rule: Rule;
  readonly mode: FiredRule['mode'];
  readonly frame: EventFrame;
  readonly earlier: EarlierHold | undefined;
}

const none: readonly never[] = [];

/**
 * Evaluates the rules for this kind of event, group by group. All matching rules fire, except in a group with `match:
 * first`. Facts must be filled in, including features.
 */
export function applyRules(state: EngineState, frame: EventFrame): RulesApplied {
  const { client, facts } = frame;
  const { scoreSlot } = state.plan;
  const { missed, printed } = state.scratch;
  let fired: FiredRule[] | undefined;
  let missing = 0;
  let actions: Action[] | undefined;
  let score = 0;
  let holding: Holding[] | undefined;
  const earlier = earlierHold(state, frame);
  const { groups, shared } = frame.own.plan;
  shared.begin();
  printed.clear();
  for (const { rules, index, isFirstMatch } of groups) {
    if (scoreSlot !== undefined) facts[scoreSlot] = score;
    const places = index.find(facts);
    // An index loop: an iterator would allocate an object for each rule.
    for (let at = 0; at < places.length; at++) {
      const { rule, when } = rules[places[at]!]!;
      const matches = when(facts);
      if (matches === undefined) missed[missing++] = rule.reason;
      if (matches !== true) continue;
      const firing: Firing = { rule, mode: modeFor(rule, client), frame, earlier };
      const one = fire(state, firing);
      (fired ??= []).push(one);
      if (!countsLive(one)) continue;
      score += rule.score;
      if (one.suppressed === undefined) {
        actions ??= [];
        for (let position = 0; position < rule.then.length; position++) {
          const template = rule.then[position]!;
          const action = act(state, firing, { template, position });
          actions.push(action);
          if (template.hold !== undefined && isSent(action)) (holding ??= []).push({ action, terms: template.hold });
        }
      }
      if (isFirstMatch) break;
    }
  }
  let held: readonly HoldEffect[] = none;
  if (holding !== undefined || earlier !== undefined) {
    const payment = holdPayment(state, frame, { holding: holding ?? none, earlier });
    held = payment.effects;
    if (payment.action !== undefined) (actions ??= []).push(payment.action);
  }
  return {
    fired: fired ?? none,
    missing: missing === 0 ? none : missed.slice(0, missing),
    score,
    actions: actions ?? none,
    held,
  };
}

/** Whether the bank gets the action, or may get it once a person releases it. */
function isSent({ state }: Action): boolean {
  return state === 'due' || state === 'held';
}

/** A rule that is live for a share of the clients is in shadow for the others, and for events without a client. */
function modeFor(rule: Rule, client: ClientEntity | undefined): FiredRule['mode'] {
  if (rule.mode !== 'live') return 'shadow';
  return rule.share === shareWhole || (client !== undefined && isInShare(rule, client.subject)) ? 'live' : 'shadow';
}

function fire(state: EngineState, firing: Firing): FiredRule {
  const { rule, mode, frame } = firing;
  const suppressed: FiredRule['suppressed'] = isSuppressed(state, firing)
    ? 'suppression'
    : isHeldAlready(firing)
      ? 'hold'
      : isLeftAlone(firing)
        ? 'control'
        : startsNoCooldown(state, firing)
          ? 'cooldown'
          : undefined;
  const { reason, name, score } = rule;
  const facts = printedFacts(state, rule, frame);
  // Literals, because spreading costs more than the condition of most rules.
  if (mode === 'live' && suppressed !== undefined) {
    const withheld = rule.then.map(({ action }) => action);
    return suppressed !== 'suppression' && suppressed !== 'control' && score > 0
      ? { reason, name, mode, suppressed, withheld, score, facts }
      : { reason, name, mode, suppressed, withheld, facts };
  }
  const fired: FiredRule =
    mode === 'live' && score > 0
      ? { reason, name, mode, suppressed, score, facts }
      : { reason, name, mode, suppressed, facts };
  return mode === 'live' && rule.summary.length > 0 ? { ...fired, summary: summaryOf(rule, frame.facts) } : fired;
}

/** Whether it adds its score, and ends a group with `match: first`; otherwise it is as if it were in shadow. */
export function countsLive({ mode, suppressed }: Pick<FiredRule, 'mode' | 'suppressed'>): boolean {
  return mode === 'live' && suppressed !== 'suppression' && suppressed !== 'control';
}

/** Whether it fires live only by a model in whose control group the event is. */
function isLeftAlone({ rule, mode, frame }: Firing): boolean {
  return mode === 'live' && firesByControlled(rule, frame);
}

/** Rendered only here, so that an event on which no rule acts pays nothing for it. */
function summaryOf({ summary }: Rule, facts: Facts): readonly RuleSummary[] {
  return summary.map(({ language, render }) => ({ language, parts: render(facts) }));
}

/** Whether the rule holds a payment that is held already: the operation joins that hold, without a second message. */
function isHeldAlready({ rule, mode, earlier }: Firing): boolean {
  if (earlier?.kind !== 'open' || mode !== 'live') return false;
  return rule.reason === earlier.hold.ref.reason || rule.then.some(({ hold }) => hold !== undefined);
}

/** Whether an analyst has suppressed the rule for this client or this payee. */
function isSuppressed({ suppressions }: EngineState, { rule, frame }: Firing): boolean {
  if (suppressions.size === 0) return false;
  const { arrival, client, logTimeMs } = frame;
  const { event } = arrival.record;
  const payee = event.kind === 'operation' ? payeeOf(event) : undefined;
  const of: SuppressionOf[] = [];
  if (client !== undefined) of.push({ kind: 'client', subject: client.subject });
  if (payee !== undefined) of.push({ kind: 'payee', payee });
  return suppressions.holds(rule.reason, of, logTimeMs);
}

/**
 * Whether the rule is within its cooldown; if not, the cooldown starts now. Events without a client have no cooldown.
 */
function startsNoCooldown(state: EngineState, firing: Firing): boolean {
  const { client, logTimeMs } = firing.frame;
  const { cooldown } = firing.rule;
  if (cooldown === undefined || client === undefined) return false;
  const key = cooldownKey(state, firing);
  if (client.isCooling(key, logTimeMs)) return true;
  client.cool(key, logTimeMs + cooldown.ms, logTimeMs);
  return false;
}

/**
 * A rule has separate cooldowns in shadow mode and while the workspace observes, so actions that were not sent never
 * suppress actions that are.
 */
function cooldownKey({ settings }: EngineState, { rule, mode, frame }: Firing): string {
  const { event } = frame.arrival.record;
  const unsent = mode === 'shadow' ? ' shadow' : settings.deliver === 'observe' ? ' observed' : '';
  const name = `${rule.reason}${unsent}`;
  return rule.cooldown?.per === 'client' ? name : `${name} ${event.channelId} ${sessionOf(event) ?? ''}`;
}

function printedFacts(
  { scratch: { printed } }: EngineState,
  rule: Rule,
  { facts, own }: EventFrame,
): Readonly<Record<string, string>> {
  const shown: Record<string, string> = {};
  for (const { path, slot, type } of rule.reads) {
    const value = facts[slot];
    if (value === undefined) continue;
    // The score differs between groups, so it is not cached.
    const known = path === scorePath ? undefined : printed.get(slot);
    const text = known ?? printFact(value, type);
    if (known === undefined) printed.set(slot, text);
    shown[path] = text;
  }
  // By them a model's result can be explained without a replay.
  for (const { model, printed: inputs } of own.plan.models) {
    if (rule.reads.some(({ path }) => model.paths.includes(path))) Object.assign(shown, inputs(facts));
  }
  return shown;
}

function act(
  state: EngineState,
  firing: Firing,
  { template, position }: { readonly template: ActionTemplate; readonly position: number },
): Action {
  const { rule, frame } = firing;
  const action = actionOn(frame, {
    reason: rule.reason,
    position,
    action: template.action,
    state: actionState(state, firing),
    message: template.render(frame.facts),
    format: template.format,
  });
  awaitOutcome(state, frame, action);
  return action;
}

function actionState(state: EngineState, { rule, frame }: Firing): Action['state'] {
  const { client, logTimeMs } = frame;
  if (client === undefined) return 'notAddressable';
  if (state.settings.deliver === 'observe') return 'observed';
  const { ofRule, ofClient } = rememberedTimes;
  const { maxActions, maxActionsPerClient } = rule;
  const caps = [
    ...(maxActions === undefined
      ? []
      : [{ cap: maxActions, times: timesOf(state.actionTimes, rule), remembered: ofRule }]),
    ...(maxActionsPerClient === undefined
      ? []
      : [{ cap: maxActionsPerClient, times: timesOf(client.actionTimes, rule), remembered: ofClient }]),
  ];
  if (caps.some(({ cap, times }) => !times.hasRoom(cap, logTimeMs))) return 'held';
  for (const { cap, times, remembered } of caps) times.note(logTimeMs, cap, remembered);
  return 'due';
}

/** When actions of the rule were delivered, to all clients or to one. */
function timesOf(byReason: Map<number, ActionTimes>, { reason }: Rule): ActionTimes {
  let times = byReason.get(reason);
  if (times === undefined) {
    times = new ActionTimes();
    byReason.set(reason, times);
  }
  return times;
}

/**
 * Actions 1 and 2, and step-ups, change the facts of later events once they are executed. A capped action may still be
 * released.
 */
export function awaitOutcome(
  state: EngineState,
  { arrival, client, device, openedOffset }: EventFrame,
  made: Action,
): void {
  const { offset, reason, position, action } = made;
  const isStepUp = state.policy?.stepUps.has(action) === true;
  const isAwaited = action === 1 || action === 2 || isStepUp;
  if (client === undefined || !isAwaited || (made.state !== 'due' && made.state !== 'held')) return;
  const { event } = arrival.record;
  const id = sessionOf(event) ?? '';
  const session = openedOffset === undefined ? undefined : { channelId: event.channelId, id, openedOffset };
  const asked = isStepUp && session !== undefined ? device : undefined;
  const methods = isStepUp ? trustingMethods(state, action) : undefined;
  client.await({ offset, reason, position, action, atMs: made.atMs, session, device: asked, methods });
}

const noMethods: readonly string[] = [];

/** The methods by which a step-up makes its device trusted; `undefined` if it does so once it is executed. */
function trustingMethods({ policy }: EngineState, action: number): readonly string[] | undefined {
  return policy?.trustMethods.get(action) ?? (policy?.trusting.has(action) === true ? undefined : noMethods);
}

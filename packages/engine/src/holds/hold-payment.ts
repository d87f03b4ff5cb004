import { assert, clientOf, type EpochMs, type Operation, sessionOf } from '@ringfence/contract';
import { type ActionTemplate, afterBusinessTime, type Facts, type HoldTerms } from '@ringfence/policy';
import type { Action, HoldEffect } from '../effect.ts';
import { holdMembersMax, holdsMax, keptMsMax } from '../limits.ts';
import { actionOn } from '../deciding/action-on.ts';
import type { EventFrame } from '../plan/event-frame.ts';
import type { EngineState } from '../state.ts';
import { type Hold, type HoldMember, paymentOf, type RenderedAction, stricter } from './hold.ts';
import { resolveHold } from './resolve-hold.ts';

/** The earlier hold that the operation belongs to: an open one that it joins, or a rejected one that is repeated. */
export interface EarlierHold {
  readonly kind: 'open' | 'rejected';
  readonly hold: Hold;
}

/** Actions of a rule that hold a payment. */
export interface Holding {
  readonly action: Action;
  readonly terms: HoldTerms;
}

/** Whether the operation repeats a payment that is held, or that was rejected lately. Nothing is held while observing. */
export function earlierHold({ holds, settings }: EngineState, frame: EventFrame): EarlierHold | undefined {
  const { event } = frame.arrival.record;
  const { subject } = frame;
  if (holds.isEmpty || event.kind !== 'operation' || subject === undefined || settings.deliver === 'observe') return;
  const payment = paymentOf(event);
  const open = holds.ofPayment(subject, payment);
  if (open !== undefined && open.members.length < holdMembersMax) return { kind: 'open', hold: open };
  const rejected = open ?? holds.rejectedOf(subject, payment, frame.logTimeMs);
  return rejected === undefined ? undefined : { kind: 'rejected', hold: rejected };
}

/**
 * Opens a hold for the operation, or adds it to the open one.
 *
 * @param holding the actions of its rules that hold it, if they are to be sent
 * @returns its effects, which follow the decision, and the action that asks the bank to hold a repeat
 */
export function holdPayment(
  state: EngineState,
  frame: EventFrame,
  { holding, earlier }: { readonly holding: readonly Holding[]; readonly earlier: EarlierHold | undefined },
): { readonly effects: readonly HoldEffect[]; readonly action: Action | undefined } {
  if (earlier?.kind === 'open') return join(state, frame, { hold: earlier.hold, holding });
  if (holding.length > 0) return { effects: open(state, frame, termsOf(state, frame, holding)), action: undefined };
  return earlier === undefined ? { effects: [], action: undefined } : holdAgain(state, frame, earlier.hold);
}

interface OpenTerms extends Pick<Hold, 'ref' | 'holding' | 'withinMs' | 'otherwise' | 'dueMs'> {
  readonly release: ActionTemplate | RenderedAction;
  readonly reject: ActionTemplate | RenderedAction;
}

/** Several rules hold one payment once: for the shortest time, with the strictest end, as the first one says. */
function termsOf(state: EngineState, frame: EventFrame, holding: readonly Holding[]): OpenTerms {
  const [first, ...others] = holding;
  assert(first !== undefined, 'a rule holds the payment');
  const { offset, reason, position, action, message, format } = first.action;
  const { release, reject } = first.terms;
  let { withinMs, otherwise } = first.terms;
  let dueMs = dueOf(state, frame, first.terms);
  for (const { terms } of others) {
    withinMs = Math.min(withinMs, terms.withinMs);
    dueMs = Math.min(dueMs, dueOf(state, frame, terms));
    otherwise = stricter(otherwise, terms.otherwise);
  }
  return {
    ref: { offset, reason, position },
    holding: { action, message, format },
    withinMs,
    dueMs,
    otherwise,
    release,
    reject,
  };
}

/** When a hold of the event ends by itself. */
function dueOf(
  { settings }: EngineState,
  { logTimeMs }: EventFrame,
  { withinMs, hours }: Pick<HoldTerms, 'withinMs' | 'hours'>,
): number {
  return hours === undefined
    ? logTimeMs + withinMs
    : afterBusinessTime(logTimeMs, withinMs, { hours, zone: settings.timezone });
}

function open(state: EngineState, frame: EventFrame, terms: OpenTerms): readonly HoldEffect[] {
  const { holds } = state;
  const { logTimeMs: nowMs, subject } = frame;
  const event = operationOf(frame);
  assert(subject !== undefined, 'only payments of clients are held');
  const effects = holds.open.length >= holdsMax ? [makeRoom(state, nowMs)] : [];
  const { ref, holding, withinMs, dueMs, otherwise, release, reject } = terms;
  const payment = paymentOf(event);
  holds.add({
    ref,
    subject,
    ...payment,
    holding,
    withinMs,
    otherwise,
    openedAtMs: nowMs,
    dueMs,
    isKept: false,
    isProposed: false,
    isInterrupted: false,
    members: [memberOf(frame, { ref, release, reject })],
  });
  const { channelId, payee, amount, currency } = payment;
  const atMs = nowMs as EpochMs;
  effects.push({
    kind: 'holdOpened',
    hold: ref,
    subject,
    channelId,
    amount,
    currency,
    payee,
    otherwise,
    atMs,
    dueMs: dueMs as EpochMs,
  });
  return effects;
}

/** Beyond the bound a hold ends, rather one whose time is over. */
function makeRoom(state: EngineState, nowMs: number): HoldEffect {
  const { holds } = state;
  const hold = holds.open.find(({ isKept }) => isKept) ?? holds.first;
  assert(hold !== undefined, 'there are holds');
  return resolveHold(state, hold, {
    resolution: 'unresolved',
    by: 'crowded',
    author: undefined,
    atMs: nowMs as EpochMs,
  });
}

function join(
  state: EngineState,
  frame: EventFrame,
  { hold, holding }: { readonly hold: Hold; readonly holding: readonly Holding[] },
): ReturnType<typeof holdPayment> {
  const { ref: first, isKept, openedAtMs } = hold;
  const asks = askOf(state, hold);
  const action = repeatAction(frame, hold, asks.holding);
  const ref = { offset: action.offset, reason: first.reason, position: first.position };
  let { otherwise, dueMs } = hold;
  for (const { terms } of isKept ? [] : holding) {
    otherwise = stricter(otherwise, terms.otherwise);
    dueMs = Math.min(dueMs, dueOf(state, frame, terms));
  }
  if (isKept) dueMs = openedAtMs + keptMsMax;
  const member = memberOf(frame, { ref, release: asks.release, reject: asks.reject });
  state.holds.change(hold, { otherwise, dueMs, members: [...hold.members, member] });
  const joined: HoldEffect = {
    kind: 'holdJoined',
    hold: first,
    member: ref,
    otherwise,
    atMs: frame.logTimeMs as EpochMs,
    dueMs: dueMs as EpochMs,
  };
  return { effects: [joined], action };
}

/** A repeat of a payment that was rejected opens a hold of its own, on the same terms. */
function holdAgain(state: EngineState, frame: EventFrame, hold: Hold): ReturnType<typeof holdPayment> {
  const { withinMs, otherwise } = hold;
  const { holding, release, reject, hours } = askOf(state, hold);
  const action = repeatAction(frame, hold, holding);
  const { offset, reason, position, message, format } = action;
  const ref = { offset, reason, position };
  const terms = {
    ref,
    holding: { action: holding.action, message, format },
    withinMs,
    dueMs: dueOf(state, frame, { withinMs, ...(hours === undefined ? {} : { hours }) }),
    otherwise,
    release,
    reject,
  };
  return { effects: open(state, frame, terms), action };
}

interface Ask {
  readonly holding: ActionTemplate | RenderedAction;
  readonly release: ActionTemplate | RenderedAction;
  readonly reject: ActionTemplate | RenderedAction;
  readonly hours?: HoldTerms['hours'] | undefined;
}

/** The messages of the rule that held, to fill in for a repeat; as they were filled in, if the policy changed since. */
function askOf({ policy }: EngineState, { ref, holding, members }: Hold): Ask {
  const { release, reject } = members[0]!;
  const rule = policy?.rules.find(({ reason, mode }) => reason === ref.reason && mode !== 'off');
  const template = rule?.then[ref.position];
  const isSame =
    template?.hold !== undefined &&
    template.action === holding.action &&
    template.hold.release.action === release.action &&
    template.hold.reject.action === reject.action;
  return isSame ? { holding: template, ...template.hold } : { holding, release, reject };
}

function repeatAction(frame: EventFrame, { ref, holding: { action } }: Hold, holding: Ask['holding']): Action {
  const { reason, position } = ref;
  const { message, format } = rendered(holding, frame.facts);
  return actionOn(frame, { reason, position, action, state: 'due', message, format });
}

function memberOf(
  frame: EventFrame,
  { ref, release, reject }: Pick<OpenTerms, 'ref' | 'release' | 'reject'>,
): HoldMember {
  const event = operationOf(frame);
  return {
    ref,
    session: sessionOf(event) ?? '',
    client: clientOf(event),
    reference: event.transaction?.reference,
    release: rendered(release, frame.facts),
    reject: rendered(reject, frame.facts),
    isFraud: false,
  };
}

function rendered(template: ActionTemplate | RenderedAction, facts: Facts): RenderedAction {
  const { action, format, message } = template;
  return { action, format, message: 'render' in template ? template.render(facts) : message };
}

function operationOf({ arrival }: EventFrame): Operation {
  const { event } = arrival.record;
  assert(event.kind === 'operation', 'only operations are held');
  return event;
}

import type { EpochMs } from '@ringfence/contract';
import type { Action, Effect, HoldEffect, HoldResolved } from '../effect.ts';
import { endingPosition, heldAgainMs, keptMsMax } from '../limits.ts';
import type { HeldChange, HoldChange, OutcomeReport, SubjectId } from '../record.ts';
import type { EngineState } from '../state.ts';
import type { Hold, HoldMember, KeptBecause, Resolution } from './hold.ts';

/** Ends a hold. The bank is asked once for each operation, unless it did it itself or there is nothing to ask for. */
export function resolveHold(state: EngineState, hold: Hold, resolution: Resolution): HoldResolved {
  const { holds, settings } = state;
  const { atMs, by } = resolution;
  holds.remove(hold);
  if (resolution.resolution === 'rejected') holds.reject(hold, atMs + (settings.heldAgainMs ?? heldAgainMs), atMs);
  const isAsked = resolution.resolution !== 'unresolved' && by !== 'bank';
  const actions = isAsked ? hold.members.map((member) => ending(hold, member, resolution)) : [];
  return { kind: 'holdResolved', hold: hold.ref, ...resolution, actions };
}

function ending(hold: Hold, member: HoldMember, { resolution, atMs }: Resolution): Action {
  const { ref, session, client, reference, release, reject } = member;
  const { action, message, format } = resolution === 'released' ? release : reject;
  return {
    kind: 'action',
    offset: ref.offset,
    reason: ref.reason,
    position: ref.position + endingPosition,
    action,
    state: 'due',
    channelId: hold.channelId,
    session,
    client,
    subject: hold.subject,
    reference,
    message,
    format,
    atMs,
  };
}

/**
 * The time of a hold is over: it ends as its terms say, or it is kept. A payment is not released by itself while it is
 * labelled fraud, its client is blocked, a decision waits for a second person, or after a restore or an outage.
 */
export function endByTime(state: EngineState, hold: Hold, isBlocked: boolean): HoldEffect {
  const atMs = hold.dueMs as EpochMs;
  const { isKept, otherwise } = hold;
  const byDeadline = { by: 'deadline', author: undefined, atMs } as const;
  if (isKept) return resolveHold(state, hold, { resolution: 'unresolved', by: 'age', author: undefined, atMs });
  if (otherwise === 'reject') return resolveHold(state, hold, { resolution: 'rejected', ...byDeadline });
  const because = otherwise === 'keep' ? 'policy' : keptBecause(hold, isBlocked);
  if (because === undefined) return resolveHold(state, hold, { resolution: 'released', ...byDeadline });
  const dueMs = Math.max(hold.openedAtMs + keptMsMax, hold.dueMs + 1);
  state.holds.change(hold, { isKept: true, dueMs });
  return { kind: 'holdKept', hold: hold.ref, because, atMs, dueMs: dueMs as EpochMs };
}

function keptBecause(hold: Hold, isBlocked: boolean): KeptBecause | undefined {
  if (hold.members.some(({ isFraud }) => isFraud)) return 'fraud';
  if (isBlocked) return 'blocked';
  if (hold.isProposed) return 'proposed';
  return hold.isInterrupted ? 'interrupted' : undefined;
}

/** A step of a person's decision. A hold that has ended meanwhile does not change: the first decision counts. */
export function takeHoldChange(
  state: EngineState,
  { hold: ref, change, author }: HoldChange,
  at: { readonly logTimeMs: EpochMs; readonly effects: Effect[] },
): void {
  const hold = state.holds.of(ref);
  if (hold === undefined) return;
  if (change === 'propose' || change === 'withdraw') state.holds.change(hold, { isProposed: change === 'propose' });
  else {
    const resolution = change === 'release' ? 'released' : 'rejected';
    at.effects.push(resolveHold(state, hold, { resolution, by: 'person', author, atMs: at.logTimeMs }));
  }
}

/** What the bank did with a held payment by itself. It is asked for nothing more about that operation. */
export function takeBankOutcome(
  state: EngineState,
  { offset, outcome }: { readonly offset: number; readonly outcome: OutcomeReport['outcome'] },
  at: { readonly logTimeMs: EpochMs; readonly effects: Effect[] },
): void {
  const resolution = endedBy[outcome];
  const hold = resolution === undefined ? undefined : state.holds.ofMember(offset);
  if (resolution === undefined || hold === undefined) return;
  const members = hold.members.filter(({ ref }) => ref.offset !== offset);
  const { logTimeMs: atMs, effects } = at;
  if (members.length === 0) {
    effects.push(resolveHold(state, hold, { resolution, by: 'bank', author: undefined, atMs }));
    return;
  }
  const member = hold.members.find(({ ref }) => ref.offset === offset)!;
  state.holds.change(hold, { members });
  effects.push({ kind: 'holdLeft', hold: hold.ref, member: member.ref, resolution, atMs });
}

const endedBy: Partial<Record<OutcomeReport['outcome'], Resolution['resolution']>> = {
  executed: 'released',
  released: 'released',
  cancelled: 'rejected',
  rejected: 'rejected',
};

/** A person dropped capped actions: the bank was never asked to hold their payments. */
export function dropHolds(
  state: EngineState,
  { actions }: HeldChange,
  { logTimeMs: atMs, effects }: { readonly logTimeMs: EpochMs; readonly effects: Effect[] },
): void {
  for (const ref of actions) {
    const hold = state.holds.of(ref);
    if (hold === undefined) continue;
    effects.push(resolveHold(state, hold, { resolution: 'unresolved', by: 'dropped', author: undefined, atMs }));
  }
}

/** Ends the holds of an erased client: there is no client left to ask about. */
export function eraseHolds(
  state: EngineState,
  subject: SubjectId,
  { logTimeMs: atMs, effects }: { readonly logTimeMs: EpochMs; readonly effects: Effect[] },
): void {
  for (const hold of state.holds.ofSubject(subject))
    effects.push(resolveHold(state, hold, { resolution: 'unresolved', by: 'erased', author: undefined, atMs }));
  state.holds.forget(subject);
}

import { assert, type EpochMs, unreachable } from '@ringfence/contract';
import type { ClientEntity } from '../clients/client-entity.ts';
import { trustDevice } from '../devices/trust-device.ts';
import type { Effect } from '../effect.ts';
import type { Feature, Policy } from '@ringfence/policy';
import { importState } from '../features/import-state.ts';
import { dropHolds, eraseHolds, takeBankOutcome, takeHoldChange } from '../holds/resolve-hold.ts';
import { stepUpReachMs } from '../limits.ts';
import { planOf } from '../plan/plan.ts';
import {
  type EngineRecord,
  type EventRecord,
  type HeldChange,
  type Outcome,
  sameAction,
  type SubjectId,
} from '../record.ts';
import { sessionState } from '../sessions/session.ts';
import { EngineState } from '../state.ts';
import { takeJudgement, takeLabel } from './take-label.ts';
import { takeReport } from './take-report.ts';
import { unblock } from './unblock.ts';
import { undecided } from './step-event.ts';

/** Applies a record that is not an event. */
export function stepControl(state: EngineState, record: Exclude<EngineRecord, EventRecord>, effects: Effect[]): void {
  switch (record.kind) {
    case 'policy':
      switchPolicy(state, record);
      return;
    case 'settings':
      state.settings = record.settings;
      return;
    case 'engine':
      state.engineVersion = record.version;
      return;
    case 'tick':
      return;
    case 'list':
      state.lists.change(record.change, record.logTimeMs);
      return;
    case 'suppress':
      state.suppressions.take(record.suppression, record.logTimeMs);
      return;
    case 'held':
      if (record.held.change !== 'drop') return;
      if (record.subject !== undefined) forgetHeld(state, record.subject, record.held);
      dropHolds(state, record.held, { logTimeMs: record.logTimeMs, effects });
      return;
    case 'label':
      if (record.event !== undefined) state.holds.label(record.event.offset, record.label === 'fraud');
      takeLabel(state, record);
      takeJudgement(state, record);
      return;
    case 'report': {
      const { event, report, logTimeMs } = record;
      takeReport(state, record);
      if (event !== undefined)
        takeBankOutcome(state, { offset: event.offset, outcome: report.outcome }, { logTimeMs, effects });
      return;
    }
    case 'hold':
      takeHoldChange(state, record.hold, { logTimeMs: record.logTimeMs, effects });
      return;
    case 'unblock':
      unblock(state, record.subject);
      return;
    case 'outcome':
      if (record.subject !== undefined) takeOutcome(state, record.subject, record);
      return;
    case 'erase':
      erase(state, record, effects);
      return;
    case 'unreadable': {
      const { subject, logTimeMs: atMs } = record;
      effects.push(undecided(state, { record, subject, outcome: 'unreadable', repeatOf: undefined, atMs }));
      return;
    }
    default:
      unreachable(record);
  }
}

/** New features begin empty, or with the backfilled history that the record names. */
function switchPolicy(state: EngineState, record: Extract<EngineRecord, { kind: 'policy' }>): void {
  const { policy, version, history, folded, offset, logTimeMs } = record;
  const isWarm = history !== undefined && newFeatures(state, policy).length > 0;
  const mark = ` #${offset}`;
  state.features.activate(policy.features, logTimeMs, isWarm ? { sinceMs: history.sinceMs, mark } : undefined);
  state.policy = policy;
  state.plan = planOf(version, policy, state);
  if (!isWarm) return;
  assert(folded instanceof EngineState, 'new features with history need their backfilled state');
  importState(state, folded, mark);
}

/** Features of a policy that are not active now; they begin with its activation. */
export function newFeatures(state: EngineState, policy: Policy): readonly Feature[] {
  return state.features.unknownOf(policy.features);
}

/**
 * An action 1 or 2 takes effect once, when it is executed; a repeated outcome after a crash changes nothing. Until
 * then it stays awaited: a person can send an expired or failed action again, and it may then be executed. An executed
 * step-up was only asked for: it stays awaited until its result is reported.
 */
function takeOutcome(
  state: EngineState,
  subject: SubjectId,
  { logTimeMs: nowMs, outcome }: { readonly logTimeMs: number; readonly outcome: Outcome },
): void {
  const client = state.store.client(subject);
  const awaited = client?.awaited.find((one) => sameAction(one, outcome));
  if (client === undefined || client === null || awaited === undefined) return;
  if (outcome.result !== 'executed' || awaited.methods !== undefined) return;
  state.store.changeClient(client.subject, client);
  client.awaited = client.awaited.filter((other) => other !== awaited);
  if (awaited.action === 1) block(client, nowMs, nowMs + state.settings.blockMs);
  else if (awaited.action !== 2) {
    trustDevice(client, awaited, nowMs);
    if (nowMs - awaited.atMs <= stepUpReachMs) client.await({ ...awaited, methods: [] });
  } else if (awaited.session !== undefined) close(client, awaited.session, nowMs);
}

/** Actions that a person dropped will never be executed, so they are no longer awaited. */
function forgetHeld(state: EngineState, subject: SubjectId, { actions }: HeldChange): void {
  const client = state.store.client(subject);
  if (client === undefined || client === null) return;
  const kept = client.awaited.filter((awaited) => !actions.some((dropped) => sameAction(dropped, awaited)));
  if (kept.length === client.awaited.length) return;
  state.store.changeClient(client.subject, client);
  client.awaited = kept;
}

/** Blocks a client. If it is already blocked, the block is extended and keeps its beginning. */
function block(client: ClientEntity, nowMs: number, untilMs: number): void {
  const running = client.isBlocked(nowMs) ? client.block : undefined;
  client.block = { atMs: running?.atMs ?? nowMs, untilMs: Math.max(running?.untilMs ?? 0, untilMs) };
}

/** Closes only the session lifetime that the action was decided for: a login after it opened another one. */
function close(
  client: ClientEntity,
  of: { readonly channelId: number; readonly id: string; readonly openedOffset: number },
  nowMs: number,
): void {
  const session = client.sessions.findLife(of);
  if (session === undefined || sessionState(session, nowMs) !== 'active') return;
  client.sessions.put({ ...session, endsAtMs: nowMs, endsBy: 'action' }, nowMs);
}

/** Removes everything about the client. Its waiting operations can no longer be read, and are decided as unreadable. */
function erase(
  state: EngineState,
  { subject, logTimeMs: atMs }: { readonly subject: SubjectId; readonly logTimeMs: EpochMs },
  effects: Effect[],
): void {
  eraseHolds(state, subject, { logTimeMs: atMs, effects });
  for (const operation of state.waiting.ofSubject(subject)) {
    state.waiting.remove(operation);
    const { record } = operation.arrival;
    effects.push(undecided(state, { record, subject, outcome: 'unreadable', repeatOf: undefined, atMs }));
  }
  state.suppressions.forget(subject);
  state.lists.forget(subject);
  state.browsers.forget(subject);
  state.store.erase(subject, (group) => state.features.subjectPart(group));
}

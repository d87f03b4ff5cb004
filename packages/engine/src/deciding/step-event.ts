import { assert, clientOf, type Login, sessionOf } from '@ringfence/contract';
import type { Applied } from '../clients/repeat-memory.ts';
import { tokenNonce } from '../devices/token-nonce.ts';
import type { Decision, Effect } from '../effect.ts';
import type { EventContext } from '../facts/event-context.ts';
import { entryRetryMs } from '../limits.ts';
import type { EventRecord, SubjectId } from '../record.ts';
import type { EngineState } from '../state.ts';
import type { WaitingOperation } from '../waiting/waiting-queue.ts';
import { conclude, prepare } from './conclude.ts';
import { encodeBody } from '../clients/body.ts';
import { EncodedBody } from '../clients/encoded-body.ts';
import { arrivalOf, look } from './look.ts';
import { directoryKey } from '../store/entities/entity-key.ts';
import { keysLookedFor, missingKeys } from './missing-keys.ts';

const none: readonly never[] = [];
/** The body of the current event. One instance serves all events. */
const body = new EncodedBody();

/**
 * How an event is processed:
 *
 * ```
 *   retry? ──yes──▶ decided as `repeat`, changes nothing
 *     │no
 *   operation without its session? ──yes──▶ waits ──login──▶ decided as matched
 *     │no                                     └──grace over──▶ decided as unmatched
 *   decided ──login──▶ decides the operations that waited for it
 * ```
 *
 * @returns keys of entities that it needs and that are unknown. In that case nothing has changed, except that a login
 * and some of the operations that waited for it may have been decided
 */
export function stepEvent(state: EngineState, record: EventRecord, effects: Effect[]): readonly string[] {
  const { event, logTimeMs, offset } = record;
  if (state.opening === offset) return concludeAwaited(state, record, effects);
  const subject = clientOf(event) === undefined ? undefined : record.subject;
  assert(
    subject !== undefined || clientOf(event) === undefined,
    'an event that names a client must have its subject id',
  );
  const found = subject === undefined ? null : state.store.client(subject);
  if (found === undefined) return missingKeys(state, record);
  const known = found ?? undefined;
  const memory = subject === undefined ? state.anonymous : known?.repeats;
  encodeBody(body, record);
  const applied = memory?.find(body, logTimeMs);
  const repeatOf = retriedOffset(record, applied, known?.repeats.lastOffset);
  if (repeatOf !== undefined) {
    effects.push(undecided(state, { record, subject, outcome: 'repeat', repeatOf, atMs: logTimeMs }));
    return none;
  }
  if (event.kind === 'login') {
    const keys = awaitedKeys(state, record, event);
    if (keys.length > 0) return keys;
  }
  const arrival = arrivalOf(record, applied);
  const context = look(state, arrival, { nowMs: logTimeMs, client: known });
  const isLeft = state.leftWaiting.has(offset);
  const isWaiting = subject !== undefined && (isLeft || waits(state, context));
  const isPrepared = isWaiting || prepare(state, context);
  if (!isPrepared) return keysLookedFor(state);
  if (state.directory.unknown.length > 0) return state.directory.unknown.map(directoryKey);

  const client = subject === undefined ? undefined : state.store.changeClient(subject, known);
  (client?.repeats ?? state.anonymous).note(body, record, applied);
  if (isLeft) return none;
  const nonce = tokenNonce(record);
  if (nonce !== undefined) state.tokens.note(nonce, logTimeMs);
  if (isWaiting) {
    const dueMs = logTimeMs + state.settings.sessionGraceMs;
    state.waiting.add({ arrival, subject, dueMs });
    effects.push({ kind: 'waiting', offset, untilMs: dueMs as Decision['atMs'] });
    return none;
  }
  conclude(state, context, effects);
  return event.kind === 'login' && subject !== undefined ? concludeAwaited(state, record, effects) : none;
}

/** Missing keys of a login and of the operations that wait for it; empty if no operation waits. */
function awaitedKeys(state: EngineState, record: EventRecord, { channelId, session }: Login): readonly string[] {
  const isAwaited = state.waiting.of(record.subject!, { channelId, id: session ?? '' }).length > 0;
  return isAwaited ? missingKeys(state, record) : none;
}

/**
 * Decides the operations that waited for this login, which is decided already, in order of arrival. The entities that
 * they need may depend on the login and on the operations before them.
 *
 * @returns keys that the next operation needs. Stepping the same record again continues with it, and also continues
 * after the maximum number of operations per step
 */
function concludeAwaited(state: EngineState, record: EventRecord, effects: Effect[]): readonly string[] {
  const { event, subject, logTimeMs: nowMs, offset } = record;
  const opened = { channelId: event.channelId, id: sessionOf(event) ?? '' };
  for (const [decided, operation] of state.waiting.of(subject!, opened).entries()) {
    state.isUnfinished = decided >= state.plan.together;
    if (!state.isUnfinished && concludeWaiting(state, { operation, nowMs }, effects)) continue;
    state.opening = offset;
    return state.isUnfinished ? none : keysLookedFor(state);
  }
  state.opening = undefined;
  return none;
}

/**
 * Decides an operation that has waited: its login has arrived, or its grace is over. Returns false, having changed
 * nothing, if an entity that it needs is unknown.
 */
export function concludeWaiting(
  state: EngineState,
  { operation, nowMs }: { readonly operation: WaitingOperation; readonly nowMs: number },
  effects: Effect[],
): boolean {
  const client = state.store.client(operation.subject);
  if (client === undefined) return false;
  const context = look(state, operation.arrival, { nowMs, client: client ?? undefined });
  if (!prepare(state, context) || state.directory.unknown.length > 0) return false;
  state.waiting.remove(operation);
  conclude(state, context, effects);
  return true;
}

/** A decision without any rules. */
export function undecided(
  state: EngineState,
  of: {
    readonly record: { readonly offset: number; readonly event: EventRecord['event'] | Decision['event'] };
    readonly subject: SubjectId | undefined;
    readonly outcome: 'repeat' | 'unreadable';
    readonly repeatOf: number | undefined;
    readonly atMs: number;
  },
): Decision {
  const { event } = of.record;
  return {
    kind: 'decision',
    offset: of.record.offset,
    event: typeof event === 'string' ? event : event.kind,
    subject: of.subject,
    atMs: of.atMs as Decision['atMs'],
    eventAtMs: of.atMs as Decision['eventAtMs'],
    policyVersion: state.plan.version,
    outcome: of.outcome,
    repeatOf: of.repeatOf,
    session: undefined,
    fired: [],
    missing: [],
    score: 0,
  };
}

/**
 * Offset of the event that this one retries; `undefined` if it is no retry. The first event with the same idempotency
 * key may itself have been a retry of an event with the same body and another key; then the offset is that of the
 * event that was applied. If its body is already forgotten, the offset is that of the first event with the key.
 *
 * @param applied what was applied with the same body
 * @param lastOffset of the client's last event, with any body
 */
function retriedOffset(
  { event, logTimeMs, retryOf }: EventRecord,
  applied: Applied | undefined,
  lastOffset: number | undefined,
): number | undefined {
  if (retryOf !== undefined) return applied !== undefined && applied.offset < retryOf ? applied.offset : retryOf;
  if (applied === undefined) return undefined;
  const isRetry =
    event.kind === 'operation'
      ? event.transaction?.reference !== undefined
      : applied.offset === lastOffset && logTimeMs - applied.atMs <= entryRetryMs;
  return isRetry ? applied.offset : undefined;
}

/** Whether the operation's login may still be on its way. */
function waits(state: EngineState, { event, session }: EventContext): boolean {
  if (event.kind !== 'operation' || session.matched) return false;
  if (state.settings.sessionGraceMs === 0 || state.waiting.isFull) return false;
  return session.required || sessionOf(event) !== undefined;
}

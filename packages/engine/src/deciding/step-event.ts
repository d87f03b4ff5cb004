import { assert, clientOf, type Login, sessionOf } from '@ringfence/contract';
import type { Applied } from '../clients/repeat-memory.ts';
import { tokenNonce } from '../devices/token-nonce.ts';
import type { Decision, Effect } from '../effect.ts';
import type { EventContext } from '../facts/event-context.ts';
import { entryRetryMs } from '../limits.ts';
import type { EventFrame } from '../plan/event-frame.ts';
import type { EventRecord, SubjectId } from '../record.ts';
import type { EngineState } from '../state.ts';
import type { WaitingOperation } from '../waiting/waiting-queue.ts';
import { fillFrame } from './fill-frame.ts';
import { encodeBody } from '../clients/encoded-body.ts';
import { arrivalOf, lookUp } from './look-up.ts';
import { clientKey } from '../store/store.ts';
import { missingKeys, unknownKeys } from './missing-keys.ts';
import { done, needs, paused, type Progress } from './progress.ts';
import { remember } from './remember.ts';

const none: readonly never[] = [];

/**
 * Applies an event to its client, and makes it pending:
 *
 * ```
 *   retry? ──yes──▶ decided as `repeat`, changes nothing
 *     │no
 *   operation without its session? ──yes──▶ waits ──login──▶ pending as matched
 *     │no                                     └──grace over──▶ pending as unmatched
 *   pending ──login──▶ the operations that waited for it become pending
 * ```
 *
 * If it needs an entity that is unknown, nothing has changed, except that a login and some of the operations that waited
 * for it may be pending.
 */
export function stepEvent(state: EngineState, record: EventRecord, effects: Effect[]): Progress {
  const { event, logTimeMs, offset } = record;
  if (state.openingOffset === offset) return stepAwaited(state, record, effects);
  const subject = clientOf(event) === undefined ? undefined : record.subject;
  assert(
    subject !== undefined || clientOf(event) === undefined,
    'an event that names a client must have its subject id',
  );
  const found = subject === undefined ? null : state.store.client(subject);
  if (found === undefined) return needs(missingKeys(state, record));
  const known = found ?? undefined;
  const memory = subject === undefined ? state.anonymous : known?.repeats;
  const { body } = state.scratch;
  encodeBody(body, record);
  const applied = memory?.find(body, logTimeMs);
  const repeatOf = retriedOffset(record, applied, known?.repeats.lastOffset);
  if (repeatOf !== undefined) {
    effects.push(undecided(state, { record, subject, outcome: 'repeat', repeatOf, atMs: logTimeMs }));
    return done;
  }
  if (event.kind === 'login') {
    const keys = awaitedKeys(state, record, event);
    if (keys.length > 0) return needs(keys);
  }
  const arrival = arrivalOf(record, applied);
  const context = lookUp(state, arrival, { nowMs: logTimeMs, client: known });
  const isLeft = state.leftWaiting.has(offset);
  const isWaiting = subject !== undefined && (isLeft || waits(state, context));
  const frame = isWaiting ? undefined : fillFrame(state, context);
  if (isUnknown(state, frame)) return needs(unknownKeys(state, frame));

  const client = subject === undefined ? undefined : state.store.changeClient(subject, known);
  (client?.repeats ?? state.anonymous).note(body, record, applied);
  if (isLeft) return done;
  const nonce = tokenNonce(record);
  if (nonce !== undefined) state.tokens.note(nonce, logTimeMs);
  if (frame === undefined) {
    const dueMs = logTimeMs + state.settings.sessionGraceMs;
    state.waiting.add({ arrival, subject: subject!, dueMs });
    effects.push({ kind: 'waiting', offset, untilMs: dueMs as Decision['atMs'] });
    return done;
  }
  remember(state, context, frame);
  state.plan.pending.add(frame, effects);
  return event.kind === 'login' && subject !== undefined ? stepAwaited(state, record, effects) : done;
}

/** Whether the event needs an entity that is unknown. */
function isUnknown({ directory }: EngineState, frame: EventFrame | undefined): boolean {
  return frame?.isKnown === false || directory.unknown.length > 0;
}

/** Missing keys of a login and of the operations that wait for it; empty if no operation waits. */
function awaitedKeys(state: EngineState, record: EventRecord, { channelId, session }: Login): readonly string[] {
  const isAwaited = state.waiting.of(record.subject!, { channelId, id: session ?? '' }).length > 0;
  return isAwaited ? missingKeys(state, record) : none;
}

/**
 * Steps the operations that waited for this login, which is applied already, in order of arrival. The entities that they
 * need may depend on the login and on the operations before them.
 */
function stepAwaited(state: EngineState, record: EventRecord, effects: Effect[]): Progress {
  const { event, subject, logTimeMs: nowMs, offset } = record;
  const opened = { channelId: event.channelId, id: sessionOf(event) ?? '' };
  for (const [stepped, operation] of state.waiting.of(subject!, opened).entries()) {
    const progress = stepped >= state.plan.together ? paused : stepWaiting(state, { operation, nowMs }, effects);
    if (progress.isDone) continue;
    state.openingOffset = offset;
    return progress;
  }
  state.openingOffset = undefined;
  return done;
}

/**
 * Applies an operation that has waited, and makes it pending: its login has arrived, or its grace is over. If it needs
 * an entity that is unknown, nothing has changed.
 */
export function stepWaiting(
  state: EngineState,
  { operation, nowMs }: { readonly operation: WaitingOperation; readonly nowMs: number },
  effects: Effect[],
): Progress {
  const { arrival, subject } = operation;
  const client = state.store.client(subject);
  if (client === undefined) return needs([clientKey(subject)]);
  const context = lookUp(state, arrival, { nowMs, client: client ?? undefined });
  const frame = fillFrame(state, context);
  if (isUnknown(state, frame)) return needs(unknownKeys(state, frame));
  state.waiting.remove(operation);
  remember(state, context, frame);
  state.plan.pending.add(frame, effects);
  return done;
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
    country: undefined,
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

import { clientOf, sessionOf } from '@ringfence/contract';
import { carriedFrom } from '../facts/enrichment-facts.ts';
import type { Arrival, EventContext } from '../facts/event-context.ts';
import type { EventFrame } from '../plan/event-frame.ts';
import type { EngineRecord, EventRecord, SubjectId } from '../record.ts';
import { SessionList } from '../sessions/session-list.ts';
import type { EngineState } from '../state.ts';
import { clientKey, directoryKey, featureKey } from '../store/store.ts';
import { encodeBody } from '../clients/encoded-body.ts';
import { fillFrame } from './fill-frame.ts';
import { arrivalOf, lookUp } from './look-up.ts';
import { concernsLabels } from './take-label.ts';
import { unknownOfReport } from './take-report.ts';

/**
 * Keys of the entities that the record needs and that are unknown, as far as can be determined now: the content of
 * these entities can name others, and so can what a login changes. Changes no state.
 */
export function missingKeys(state: EngineState, record: EngineRecord): readonly string[] {
  if (state.store.complete) return [];
  const missing = new Set<string>();
  const { waiting } = state;
  for (const { arrival, dueMs } of waiting.operations) {
    if (dueMs > record.logTimeMs) break;
    addEvent(state, { arrival, nowMs: dueMs }, missing);
  }
  for (const { subject, dueMs } of state.holds.open) {
    if (dueMs > record.logTimeMs) break;
    addClient(state, subject, missing);
  }
  if (record.kind === 'event') addRecord(state, record, missing);
  if (aboutClient.has(record.kind) && 'subject' in record) {
    if (record.subject !== undefined) addClient(state, record.subject, missing);
  }
  if ((record.kind === 'label' || record.kind === 'report') && record.event !== undefined) {
    const { event } = record;
    if (event.subject !== undefined) addClient(state, event.subject, missing);
    if (record.kind === 'report') for (const key of unknownOfReport(state, record)) missing.add(key);
    const isLabel = record.kind === 'label' || record.report.label !== undefined;
    if (isLabel && concernsLabels(state, event)) {
      addEvent(state, { arrival: arrivalOf(event, undefined), nowMs: event.logTimeMs }, missing);
    }
  }
  return [...missing];
}

const aboutClient: ReadonlySet<EngineRecord['kind']> = new Set(['outcome', 'unblock', 'erase', 'held']);

/** The event itself and, for a login, the operations that wait for it. */
function addRecord(state: EngineState, record: EventRecord, missing: Set<string>): void {
  const { event, subject, logTimeMs: nowMs } = record;
  if (record.retryOf !== undefined) {
    if (subject !== undefined && clientOf(event) !== undefined) addClient(state, subject, missing);
    return;
  }
  const client = subject === undefined ? undefined : (state.store.client(subject) ?? undefined);
  const memory = clientOf(event) === undefined ? state.anonymous : client?.repeats;
  const { body } = state.scratch;
  encodeBody(body, record);
  const arrival = arrivalOf(record, memory?.find(body, nowMs));
  const context = addEvent(state, { arrival, nowMs }, missing);
  if (event.kind !== 'login' || subject === undefined) return;
  const waiting = state.waiting.of(subject, { channelId: event.channelId, id: sessionOf(event) ?? '' });
  if (waiting.length === 0) return;
  const opened = { ...context.session.after!, carried: carriedFrom(context) };
  const sessions = client?.sessions.copy() ?? new SessionList();
  sessions.put(opened, nowMs);
  for (const operation of waiting) addEvent(state, { arrival: operation.arrival, nowMs, sessions }, missing);
}

/** Adds the keys that the event needs, and returns its context. */
function addEvent(
  state: EngineState,
  event: { readonly arrival: Arrival; readonly nowMs: number; readonly sessions?: SessionList },
  missing: Set<string>,
): EventContext {
  const { arrival, ...at } = event;
  const { record } = arrival;
  const subject = clientOf(record.event) === undefined ? undefined : record.subject;
  if (subject !== undefined) addClient(state, subject, missing);
  const client = subject === undefined ? undefined : (state.store.client(subject) ?? undefined);
  const context = lookUp(state, arrival, { ...at, client });
  for (const key of unknownKeys(state, fillFrame(state, context))) missing.add(key);
  return context;
}

/** The unknown keys that the last `lookUp` looked up, and those of the frame that it was followed by. */
export function unknownKeys(state: EngineState, frame: EventFrame | undefined): readonly string[] {
  const keys = state.directory.unknown.map(directoryKey);
  for (const { group, key, known } of frame?.own.found ?? []) {
    if (!key.isMissing && known === 'unknown') keys.push(featureKey(group.number, key.text));
  }
  return keys;
}

function addClient(state: EngineState, subject: SubjectId, missing: Set<string>): void {
  if (state.store.client(subject) === undefined) missing.add(clientKey(subject));
}

import {
  assert,
  clientOf,
  type Enrichment,
  type EpochMs,
  type Event,
  type JsonObject,
  type JsonValue,
  parseEvent,
  parseJson,
  printJson,
  type TimeZone,
} from '@ringfence/contract';
import type { PolicyTest } from '@ringfence/policy';

/** An event of a test as ingest would have read it. */
export interface TestEvent {
  readonly event: Event;
  readonly enrichment: Enrichment;
  readonly subject: string | undefined;
  readonly bodyHash: string;
}

/**
 * Parses an event of a test with the parser of the wire format, which has accepted it when the policy was checked.
 * `arrivedMs` replaces the time that an operation does not state.
 *
 * @param zone of the workspace, for times without a zone
 */
export function readTestEvent(given: PolicyTest['given'][number], arrivedMs: EpochMs, zone: TimeZone): TestEvent {
  const { body, facts, kind } = given;
  const states = kind !== 'operation' || statesTime(body);
  // The parser requires a time of an operation; any will do.
  const timed = states ? body : { ...(body as JsonObject), timestamp: '2026-01-05T12:00:00Z' };
  const json = parseJson(printJson(timed));
  assert(json.ok, 'a body of a checked test must be valid JSON');
  const parsed = parseEvent(kind, json, { cards: 'mask', zone, hashCard: (hash) => hash });
  assert(parsed.ok, 'a body of a checked test must be a valid event');
  const { event } = parsed;
  const statedAtMs = states ? parsed.statedAtMs : arrivedMs;
  const client = clientOf(event);
  return {
    event,
    enrichment: statedAtMs === undefined ? { facts } : { facts, statedAtMs },
    subject: client === undefined ? undefined : `client ${client}`,
    bodyHash: printJson(body),
  };
}

function statesTime(body: JsonValue): boolean {
  const { timestamp, transaction } = body as { timestamp?: unknown; transaction?: { date?: unknown } | null };
  return [timestamp, transaction?.date].some((date) => date !== undefined && date !== null && date !== '');
}

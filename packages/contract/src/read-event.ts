import { eventSchemas } from './event-schema.ts';
import type { Event, EventKind } from './event.ts';
import type { JsonObject } from './json-value.ts';
import { type BodyRead, bodyRead } from './read-body.ts';
import { nodeOf } from './schema-node.ts';

const reads: Readonly<Record<EventKind, BodyRead>> = {
  login: bodyRead(nodeOf(eventSchemas.login), { kind: 'login' }),
  logout: bodyRead(nodeOf(eventSchemas.logout), { kind: 'logout' }),
  operation: bodyRead(nodeOf(eventSchemas.operation), { kind: 'operation' }),
};

/** The event in a validated body. Ingest and replay both use this function, so both see the same event. */
export function readEvent(kind: EventKind, body: JsonObject): Event {
  return reads[kind](body) as unknown as Event;
}

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

/** The event that a checked body speaks of. The door and replay both read it here, so both see the same. */
export function readEvent(kind: EventKind, body: JsonObject): Event {
  return reads[kind](body) as unknown as Event;
}

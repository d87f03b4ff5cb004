import type { EventKind } from '@ringfence/contract';
import type { EventRecord } from '../record.ts';

/*
 * A body is named by its digest, behind a mark where it is a login or a logout: these have the same members, and can
 * have equal bodies.
 */

const marks: Readonly<Record<EventKind, string>> = { login: '\u0001', logout: '\u0002', operation: '' };

/** Names a body among a client's. */
export function bodyOf({ event, bodyHash }: EventRecord): string {
  return event.kind === 'operation' ? bodyHash : marks[event.kind] + bodyHash;
}

/** A body as it was stored once: behind the kind of event. */
export function bodyOfStored(stored: string): string {
  const kind = stored.startsWith('operation') ? 'operation' : stored.startsWith('login') ? 'login' : 'logout';
  return marks[kind] + stored.slice(kind.length);
}

import type { EventKind } from '@ringfence/contract';
import { ofKind } from '../of-kind.ts';
import type { EventRecord } from '../record.ts';
import type { EncodedBody } from './encoded-body.ts';

/*
 * A body is named by its digest, behind a mark where it is a login or a logout: these have the same members, and can
 * have equal bodies.
 */

const marks: Readonly<Record<EventKind, string>> = { login: '\u0001', logout: '\u0002', operation: '' };

/** Encodes what names the event's body among a client's. */
export function encodeBody(body: EncodedBody, { event, bodyHash }: EventRecord): void {
  body.set(bodyHash, ofKind(marks, event.kind));
}

/** The same of a body as it was stored once: behind the kind of event. */
export function encodeStoredBody(body: EncodedBody, stored: string): void {
  const kind = stored.startsWith('operation') ? 'operation' : stored.startsWith('login') ? 'login' : 'logout';
  body.set(stored.slice(kind.length), marks[kind]);
}

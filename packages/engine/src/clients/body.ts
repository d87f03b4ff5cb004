import type { EventKind } from '@ringfence/contract';
import { ofKind } from '../of-kind.ts';
import type { EventRecord } from '../record.ts';
import type { EncodedBody } from './encoded-body.ts';

/*
 * A body is identified by its digest. A login and a logout have the same members and can have equal bodies, so their
 * digests are prefixed with a mark.
 */

const marks: Readonly<Record<EventKind, string>> = { login: '\u0001', logout: '\u0002', operation: '' };

/** Encodes the identity of the event's body among the bodies of its client. */
export function encodeBody(body: EncodedBody, { event, bodyHash }: EventRecord): void {
  body.set(bodyHash, ofKind(marks, event.kind));
}

/** The same for a body from an older snapshot, which stored the kind of event before the digest. */
export function encodeStoredBody(body: EncodedBody, stored: string): void {
  const kind = stored.startsWith('operation') ? 'operation' : stored.startsWith('login') ? 'login' : 'logout';
  body.set(stored.slice(kind.length), marks[kind]);
}

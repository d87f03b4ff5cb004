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

import { createHmac, hash } from 'node:crypto';
import { assert } from '@ringfence/contract';

/**
 * `client` of a webhook: hex HMAC-SHA-256 of the user under the workspace's pepper, or plain SHA-256 without one. The
 * user is normalized to Unicode form C first, so that two encodings of one name have the same hash.
 *
 * Plain SHA-256 can be reversed by trying all account names; it is meant for receivers that support nothing else.
 */
export function hashClient(user: string, pepper: Uint8Array | undefined): string {
  // Ingest rejects lone surrogates; here they would silently turn into another user.
  assert(user.isWellFormed(), 'a client is well-formed Unicode');
  const bytes = Buffer.from(user.normalize('NFC'));
  return pepper === undefined ? hash('sha256', bytes, 'hex') : createHmac('sha256', pepper).update(bytes).digest('hex');
}

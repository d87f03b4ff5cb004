import { createHmac, hash } from 'node:crypto';
import { assert } from '@ringfence/contract';

/**
 * `client` of a webhook: hex HMAC-SHA-256 of the user under the workspace's pepper, or plain SHA-256 without one.
 * The user is taken in Unicode normal form C, so that two spellings of one name are one client.
 *
 * Plain SHA-256 can be undone by trying all account names; it is there for receivers that can do nothing else.
 */
export function hashClient(user: string, pepper: Uint8Array | undefined): string {
  // The door refuses lone surrogates; here they would silently become another user.
  assert(user.isWellFormed(), 'a client is well-formed Unicode');
  const bytes = Buffer.from(user.normalize('NFC'));
  return pepper === undefined ? hash('sha256', bytes, 'hex') : createHmac('sha256', pepper).update(bytes).digest('hex');
}

import { createHmac } from 'node:crypto';

/**
 * Computes the `client` of a webhook on the bank's side: hex HMAC-SHA-256 under the workspace's pepper over the user's
 * UTF-8 bytes in Unicode normal form C.
 *
 * @param pepper as exported by the operator: bytes, or their text in base64
 * @throws TypeError when the user contains a lone surrogate, which has no UTF-8 form (the service refuses it as well),
 *   or the pepper is not base64
 */
export function hashClient(user: string, pepper: Uint8Array | string): string {
  if (!user.isWellFormed()) throw new TypeError('user is not well-formed Unicode');
  const key = typeof pepper === 'string' ? decodePepper(pepper) : pepper;
  return createHmac('sha256', key).update(user.normalize('NFC'), 'utf8').digest('hex');
}

/** Node ignores characters that are not base64: a mistyped pepper would silently yield wrong hashes for every user. */
function decodePepper(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.toString('base64') !== text) throw new TypeError('the pepper is not base64');
  return bytes;
}

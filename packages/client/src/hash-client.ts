import { createHmac } from 'node:crypto';

/**
 * The `client` of a webhook, computed on the bank's side: hex HMAC-SHA-256 under the workspace's pepper over the
 * user's UTF-8 bytes in Unicode normal form C.
 *
 * @param pepper as exported by the operator: bytes, or their text in base64
 * @throws TypeError when the user holds a lone surrogate, which has no UTF-8 form (the service refuses it as well), or
 *   the pepper is no base64
 */
export function hashClient(user: string, pepper: Uint8Array | string): string {
  if (!user.isWellFormed()) throw new TypeError('user is not well-formed Unicode');
  const key = typeof pepper === 'string' ? decodePepper(pepper) : pepper;
  return createHmac('sha256', key).update(user.normalize('NFC'), 'utf8').digest('hex');
}

/** Node reads past what is no base64: a mistyped pepper would hash everybody to somebody unknown, without a word. */
function decodePepper(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.toString('base64') !== text) throw new TypeError('the pepper is not base64');
  return bytes;
}

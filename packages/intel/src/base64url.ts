/**
 * The bytes of a base64url text without padding; `undefined` for anything else. Accepts only the canonical encoding:
 * with unused bits set in the last character, two texts would be one token.
 */
export function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

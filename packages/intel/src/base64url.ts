/**
 * The bytes of a base64url text without padding; `undefined` for anything else. Takes the one way to write them: with
 * bits left over in the last character, two texts would be one token.
 */
export function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/**
 * Whether the text can be a license key, that is, a header carries it unchanged. A line break in it would inject a
 * header, and one at its end (from reading a whole file) would make it a different key.
 */
export function isLicenseKey(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}

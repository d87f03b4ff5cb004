/**
 * Whether the text can be a license key: what a header carries unchanged. A line break in it would add a header of its
 * own, and one at its end (a file that was read whole) would make it another key.
 */
export function isLicenseKey(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}

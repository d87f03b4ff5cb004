import { base64url, utf8 } from './base64url.ts';

/** Half of a SHA-256 as text, to compare values that are too long to send. */
export async function digest(text: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text)), 0, 16));
}

import { Problem } from '@ringfence/contract';
import type { IncomingMessage } from 'node:http';

/**
 * Refuses a request of HTTP/1.1 without the header Host (RFC 9112, 3.2). Node would do it too, without a word for the
 * sender: `requireHostHeader` is off for that.
 *
 * @throws Problem
 */
export function requireHost({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1')
    throw new Problem('http.malformed', 'The header Host is missing.');
}

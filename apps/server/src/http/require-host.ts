import { Problem } from '@ringfence/contract';
import type { IncomingMessage } from 'node:http';

/**
 * Refuses a request of HTTP/1.1 without the header Host, and any with two of them (RFC 9112, 3.2): Node would take the
 * first, and what stands in front may have gone by the other. Node would refuse a missing one too, without a word for the
 * sender: `requireHostHeader` is off for that.
 *
 * @throws Problem
 */
export function requireHost({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1')
    throw new Problem('http.malformed', 'The header Host is missing.');
  if (hostsIn(rawHeaders) > 1) throw new Problem('http.malformed', 'The header Host comes more than once.');
}

/** Names and values by turns. */
function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

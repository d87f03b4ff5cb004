import { Problem } from '@ringfence/contract';
import type { IncomingMessage } from 'node:http';

/**
 * Refuses a request whose headers are ambiguous or invalid. A proxy in front of this service may have read them
 * differently from Node (request smuggling).
 *
 * - The Host header is missing in HTTP/1.1, or repeated (RFC 9112, 3.2). Node would reject a missing one too, but with
 *   an empty answer: `requireHostHeader` is off for that reason.
 * - The Authorization header is repeated. Node would use the first.
 * - There is a transfer coding before `chunked` (RFC 9112, 6.1). Node would treat `gzip, chunked` as `chunked`.
 *
 * @throws Problem
 */
export function requireClearHeaders({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1')
    throw new Problem('http.malformed', 'The header Host is missing.');
  requireOnce(rawHeaders, 'host');
  requireOnce(rawHeaders, 'authorization');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') throw codingProblem();
}

/**
 * Refuses a repeated header that may have only one value: choosing one of them would be a guess.
 *
 * @param rawHeaders names and values, alternating
 * @param name in lower case
 * @throws Problem
 */
export function requireOnce(rawHeaders: readonly string[], name: string): void {
  let isThere = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at]!;
    if (each.length !== name.length || each.toLowerCase() !== name) continue;
    if (isThere) throw new Problem('http.malformed', `The header ${each} occurs more than once.`);
    isThere = true;
  }
}

export function codingProblem(): Problem {
  return new Problem('coding.unknown', 'The only supported Transfer-Encoding is chunked.');
}

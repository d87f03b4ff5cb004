import { Problem } from '@ringfence/contract';
import type { IncomingMessage } from 'node:http';

/**
 * Refuses a request whose head can be read in two ways, or not at all: Node would read it in one of them, and what stands
 * in front may have gone by the other.
 *
 * - Without the header Host in HTTP/1.1, or with two of them (RFC 9112, 3.2). Node would refuse a missing one too, without a
 *   word for the sender: `requireHostHeader` is off for that.
 * - With two headers Authorization, of which Node takes the first.
 * - With a transfer coding before `chunked` (RFC 9112, 6.1). Node would take `gzip, chunked` for `chunked`.
 *
 * @throws Problem
 */
export function requireClearHead({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1')
    throw new Problem('http.malformed', 'The header Host is missing.');
  requireOnce(rawHeaders, 'host');
  requireOnce(rawHeaders, 'authorization');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') throw codingProblem();
}

/**
 * Refuses two headers of a name that has one value: which of them is meant would be a guess.
 *
 * @param rawHeaders names and values by turns
 * @param name in small letters
 * @throws Problem
 */
export function requireOnce(rawHeaders: readonly string[], name: string): void {
  let isThere = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at]!;
    if (each.length !== name.length || each.toLowerCase() !== name) continue;
    if (isThere) throw new Problem('http.malformed', `The header ${each} comes more than once.`);
    isThere = true;
  }
}

export function codingProblem(): Problem {
  return new Problem('coding.unknown', 'The one coding of Transfer-Encoding that is read is chunked.');
}

import type { IncomingHttpHeaders } from 'node:http';
import { randomId } from '../secrets/random-id.ts';

/** What a sender may give as `X-Request-Id`: safe in headers, logs and URLs, whatever reads them. */
const given = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** The sender's own id when it is one, else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders, make: () => string): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && given.test(sent) ? sent : make();
}

/** Ids of one process: a random name of the process and a counter. Cheaper than randomness for each. */
export function requestIdMaker(): () => string {
  const name = randomId(10);
  let count = 0;
  return () => `req_${name}_${(++count).toString(36)}`;
}

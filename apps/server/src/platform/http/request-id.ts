import type { IncomingHttpHeaders } from 'node:http';

/** The accepted form of `X-Request-Id`: safe in headers, logs and URLs. */
const given = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** The sender's own id if it is valid, else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders, make: () => string): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && given.test(sent) ? sent : make();
}

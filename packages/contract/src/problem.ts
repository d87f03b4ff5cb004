/** Every error that a caller of an HTTP interface can meet. `docs/reference/errors.md` is generated from this table. */
export const problems = {
  'http.malformed': {
    status: 400,
    title: 'The request is not well-formed HTTP.',
    advice: 'Look at what stands between you and the service: a proxy, a body shorter than its Content-Length.',
  },
  'json.malformed': {
    status: 400,
    title: 'The body is not well-formed JSON, or holds what no event may hold.',
    advice: 'Let a JSON library write the body. `errors` says where it could not be read.',
  },
  'key.invalid': {
    status: 401,
    title: 'The license key is missing, unknown, revoked or of another environment.',
    advice:
      'Development keys are for `/api-dev/`, production keys for `/api/`. Ask the operator for the key that lives.',
  },
  'token.invalid': {
    status: 401,
    title: 'The management token is missing or wrong.',
    advice: 'Send RINGFENCE_ADMIN_TOKEN, or what stands in `secrets/admin-token` under home, as bearer token.',
  },
  'session.missing': {
    status: 401,
    title: 'There is no session of the console, or it has ended.',
    advice: 'Log in: POST /management/v1/session. A session ends after 15 minutes without use, and after 12 hours.',
  },
  'login.refused': {
    status: 401,
    title: 'E-mail address, password or code is wrong.',
    advice:
      'Try again. After ten wrong tries there is one a minute. An administrator can make a new link for a password.',
  },
  'code.required': {
    status: 401,
    title: 'This account has a second factor.',
    advice: 'Send `code` beside the password: six digits of the authenticator app, or a recovery code.',
  },
  'openId.failed': {
    status: 401,
    title: 'The log-in by the OpenID provider did not succeed.',
    advice: 'Begin again. When it stays, tell the operator the request id: the log has what the provider said.',
  },
  'right.missing': {
    status: 403,
    title: 'This is not allowed here.',
    advice: 'Ask an administrator for a role with the right that `detail` names.',
  },
  'request.foreign': {
    status: 403,
    title: 'The request does not come from a page of the console.',
    advice: 'Send X-CSRF-Token as /management/v1/session answers it, from the address under which the console is open.',
  },
  'path.unknown': {
    status: 404,
    title: 'There is nothing at this path.',
    advice: 'Compare the path with `/openapi.json` of the same listener.',
  },
  'thing.unknown': {
    status: 404,
    title: 'There is no such thing.',
    advice: 'Compare the id with the list that it comes from. It may belong to another workspace.',
  },
  'invitation.invalid': {
    status: 404,
    title: 'This link is not good, or no longer.',
    advice: 'Ask an administrator for a new one. The first administrator finds one where the service was started.',
  },
  'method.wrong': {
    status: 405,
    title: 'This path does not take this method.',
    advice: 'The header Allow names the methods that it takes.',
  },
  'request.slow': {
    status: 408,
    title: 'The request took too long to arrive.',
    advice: 'Send the whole request at once. Send it again on a new connection.',
  },
  'state.conflict': {
    status: 409,
    title: 'The current state does not allow this.',
    advice: '`detail` names the state. Sent again, the answer is the same until the state has changed.',
  },
  'owner.config': {
    status: 409,
    title: 'The configuration file owns this; change it there.',
    advice: 'Change ringfence.yaml and start the service again; or take the member out of the file.',
  },
  'body.tooLarge': {
    status: 413,
    title: 'The body is larger than is taken here.',
    advice: 'An event has at most 64 KiB, a request of the management API 1 MiB. Send less.',
  },
  'type.unsupported': {
    status: 415,
    title: 'The body must be application/json in UTF-8, without compression.',
    advice: 'Send `Content-Type: application/json` and no Content-Encoding.',
  },
  'expectation.unknown': {
    status: 417,
    title: 'The header Expect asks for something that is not done here.',
    advice: 'Leave the header out, or send `Expect: 100-continue`.',
  },
  'event.invalid': {
    status: 422,
    title: 'The event does not match its schema.',
    advice: 'Mend every member that `errors` names. Sent again as it is, it is refused again.',
  },
  'request.invalid': {
    status: 422,
    title: 'The request does not match its schema.',
    advice: 'Mend every member that `errors` names: of the body, the query, the path or the headers.',
  },
  'policy.invalid': {
    status: 422,
    title: 'The policy does not check.',
    advice: 'Mend every place that `errors` names by file, line and column. Nothing was stored.',
  },
  'key.reused': {
    status: 422,
    title: 'This Idempotency-Key was sent with another body.',
    advice: 'Give every event a key of its own, and an event that is sent again the key and the body that it had.',
  },
  'rate.limited': {
    status: 429,
    title: 'Too many requests.',
    advice: 'Wait for the seconds that Retry-After names, then go on more slowly.',
  },
  'headers.tooLarge': {
    status: 431,
    title: 'The headers of the request are too large.',
    advice: 'All headers together may have 16 KiB. Cookies do not belong here.',
  },
  'service.failed': {
    status: 500,
    title: 'An error of ours. It was logged under the request id.',
    advice: 'Send it again later. When it stays, tell the operator the request id.',
  },
  'coding.unknown': {
    status: 501,
    title: 'The header Transfer-Encoding names a coding that is not done here.',
    advice: 'Send the body as it is, with its Content-Length or `Transfer-Encoding: chunked`.',
  },
  'log.unavailable': {
    status: 503,
    title: 'The event could not be stored. Send it again.',
    advice: 'Send it again after the seconds that Retry-After names, with the same Idempotency-Key.',
  },
  'database.unavailable': {
    status: 503,
    title: 'The database does not answer just now.',
    advice: 'Send it again after the seconds that Retry-After names. When it stays, see to the database.',
  },
} as const satisfies Record<string, { status: number; title: string; advice: string }>;

export type ProblemCode = keyof typeof problems;

/** One wrong member. `pointer` is a JSON Pointer (RFC 6901); "" is the whole body. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
  readonly expected: string;
}

/** An expected failure of a caller or of the world. `detail` is shown to the caller; `cause` only reaches our own logs. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    options: { cause?: unknown; errors?: readonly FieldError[]; retryAfterSeconds?: number } = {},
  ) {
    super(`${code}: ${detail}`, { cause: options.cause });
    this.code = code;
    this.detail = detail;
    this.errors = options.errors ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return problems[this.code].status;
  }
}

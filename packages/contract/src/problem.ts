/** All errors that an HTTP interface returns. `docs/reference/errors.md` is generated from this table. */
export const problems = {
  'http.malformed': {
    status: 400,
    title: 'The request is not well-formed HTTP.',
    advice: 'Check what is between you and the service: a proxy, or a body shorter than its Content-Length.',
  },
  'json.malformed': {
    status: 400,
    title: 'The body is not well-formed JSON, or contains what no event may contain.',
    advice: 'Use a JSON library to write the body. `errors` shows the position of the error.',
  },
  'key.invalid': {
    status: 401,
    title: 'The license key is missing, unknown, revoked or of another environment.',
    advice: 'Development keys are for `/api-dev/`, production keys for `/api/`. Ask the operator for a valid key.',
  },
  'token.invalid': {
    status: 401,
    title: 'The management token is missing or wrong.',
    advice:
      'Send a token made by `ringfence token create`, or RINGFENCE_ADMIN_TOKEN or the content of `secrets/admin-token` under home, as the bearer token.',
  },
  'session.missing': {
    status: 401,
    title: 'There is no console session, or it has expired.',
    advice: 'Log in: POST /management/v1/session. A session ends after 15 minutes without use, and after 12 hours.',
  },
  'login.refused': {
    status: 401,
    title: 'The e-mail address, password or code is wrong.',
    advice:
      'Try again. After ten failures, one attempt a minute is allowed. An administrator can create a new password link.',
  },
  'code.required': {
    status: 401,
    title: 'This account has a second factor.',
    advice: 'Send `code` with the password: six digits of the authenticator app, or a recovery code.',
  },
  'openId.failed': {
    status: 401,
    title: 'The login with the OpenID provider failed.',
    advice: "Try again. If it keeps failing, give the operator the request id: the log contains the provider's error.",
  },
  'right.missing': {
    status: 403,
    title: 'You are not allowed to do this.',
    advice: 'Ask an administrator for a role with the right, or a token with the scope, named in `detail`.',
  },
  'request.foreign': {
    status: 403,
    title: 'The request does not come from a page of the console.',
    advice:
      'Send X-CSRF-Token as returned by /management/v1/session, from the address under which the console is open.',
  },
  'path.unknown': {
    status: 404,
    title: 'There is nothing at this path.',
    advice: 'Compare the path with `/openapi.json` of the same listener.',
  },
  'thing.unknown': {
    status: 404,
    title: 'There is no such resource.',
    advice: 'Compare the id with the list that contains it. It may belong to another workspace.',
  },
  'invitation.invalid': {
    status: 404,
    title: 'This link is invalid or has expired.',
    advice:
      'Ask an administrator for a new one. The link of the first administrator is printed when the service starts.',
  },
  'method.wrong': {
    status: 405,
    title: 'This path does not support this method.',
    advice: 'The Allow header lists the supported methods.',
  },
  'request.slow': {
    status: 408,
    title: 'The request took too long to arrive.',
    advice: 'Send the whole request without pauses. Retry on a new connection.',
  },
  'state.conflict': {
    status: 409,
    title: 'The current state of the resource does not allow this.',
    advice: '`detail` describes the state. A retry fails until the state has changed.',
  },
  'owner.config': {
    status: 409,
    title: 'This is set in the configuration file; change it there.',
    advice: 'Change ringfence.yaml and restart the service, or remove the member from the file.',
  },
  'body.tooLarge': {
    status: 413,
    title: 'The body is too large.',
    advice: 'The limit is 64 KiB for an event and 1 MiB for a request of the management API.',
  },
  'type.unsupported': {
    status: 415,
    title: 'The body must be application/json in UTF-8, without compression.',
    advice: 'Send `Content-Type: application/json` and no Content-Encoding.',
  },
  'expectation.unknown': {
    status: 417,
    title: 'The value of the Expect header is not supported.',
    advice: 'Omit the header, or send `Expect: 100-continue`.',
  },
  'event.invalid': {
    status: 422,
    title: 'The event does not match its schema.',
    advice: 'Correct every member listed in `errors`. An unchanged retry is refused again.',
  },
  'request.invalid': {
    status: 422,
    title: 'The request does not match its schema.',
    advice: 'Correct every member listed in `errors`: of the body, the query, the path or the headers.',
  },
  'policy.invalid': {
    status: 422,
    title: 'The policy has errors.',
    advice: 'Correct every place listed in `errors` by file, line and column. Nothing was stored.',
  },
  'key.reused': {
    status: 422,
    title: 'This Idempotency-Key was used with a different body.',
    advice: 'Use a new key for every event. When you retry an event, send the same key and the same body.',
  },
  'rate.limited': {
    status: 429,
    title: 'Too many requests.',
    advice: 'Wait for the seconds in Retry-After, then send more slowly.',
  },
  'lag.exceeded': {
    status: 429,
    title: 'Decisions are too far behind: the event was not stored.',
    advice: 'Keep the event and send it again after the seconds in Retry-After, with the same Idempotency-Key.',
  },
  'headers.tooLarge': {
    status: 431,
    title: 'The headers of the request are too large.',
    advice: 'All headers together may have 16 KiB. Cookies are not needed here.',
  },
  'service.failed': {
    status: 500,
    title: 'Internal error. It was logged under the request id.',
    advice: 'Retry later. If it keeps failing, give the operator the request id.',
  },
  'coding.unknown': {
    status: 501,
    title: 'The coding in the Transfer-Encoding header is not supported.',
    advice: 'Send the plain body, with its Content-Length or `Transfer-Encoding: chunked`.',
  },
  'log.unavailable': {
    status: 503,
    title: 'The event could not be stored. Send it again.',
    advice: 'Retry after the seconds in Retry-After, with the same Idempotency-Key.',
  },
  'database.unavailable': {
    status: 503,
    title: 'The database is currently unavailable.',
    advice: 'Retry after the seconds in Retry-After. If it keeps failing, check the database.',
  },
} as const satisfies Record<string, { status: number; title: string; advice: string }>;

export type ProblemCode = keyof typeof problems;

/**
 * The most errors that are told about one input, and after which the search for more ends: a person corrects a few and
 * tries again, and a hostile input must not cost the work of naming 100,000.
 */
export const errorsMax = 20;

/** One invalid member. `pointer` is a JSON Pointer (RFC 6901); "" is the whole body. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
  readonly expected: string;
}

/**
 * An expected failure, caused by the caller or by the environment. `detail` is shown to the caller; `cause` is only
 * logged.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly detail: string;
  /** At most `errorsMax`. */
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
    this.errors = (options.errors ?? []).slice(0, errorsMax);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return problems[this.code].status;
  }
}

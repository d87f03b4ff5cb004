import { Problem, problems } from '@ringfence/contract';
import { idempotencyKeyProblem } from './idempotency.ts';
import { codingProblem } from '../platform/http/header-check.ts';
import { expectationProblem } from '../platform/http/client-errors.ts';
import { problemResponse, problemSchema, type ShownProblem } from '../platform/api-reference/problem-response.ts';

/** The problems that a sender of events and reports can get, each with an example and the condition for it. */
const met: readonly ShownProblem[] = [
  {
    code: 'json.malformed',
    when: 'The body is no JSON, or JSON that can not be kept: NUL, lone surrogates, duplicate members, more than 8 levels or 256 members.',
    example: new Problem('json.malformed', 'A string is not terminated, at the end of the text.', {
      errors: [
        {
          pointer: '/user',
          detail: 'A string is not terminated, at the end of the text.',
          expected: 'a closing double quote',
        },
      ],
    }),
  },
  {
    code: 'http.malformed',
    when: 'The request is not valid HTTP, has no Host, repeats a header that may occur only once, or ends before its Content-Length. The connection is closed.',
    example: new Problem('http.malformed', 'The request could not be read: Invalid header token.'),
  },
  {
    code: 'key.invalid',
    when: 'The license key is missing, unknown, revoked, or of the other environment. The answer is the same for all.',
    example: new Problem(
      'key.invalid',
      'Send a live license key of this environment as "Authorization: Bearer <LICENSE_KEY>".',
    ),
  },
  {
    code: 'path.unknown',
    when: 'There is no such path.',
    example: new Problem('path.unknown', 'The paths are listed in /openapi.json.'),
  },
  {
    code: 'method.wrong',
    when: 'The method is not POST.',
    example: new Problem('method.wrong', 'Events are sent by POST.'),
  },
  {
    code: 'request.slow',
    when: 'Headers took more than 5 seconds, or the request more than 10. The connection is closed.',
    example: new Problem('request.slow', 'Headers must arrive within 5 seconds, the whole request within 10.'),
  },
  {
    code: 'body.tooLarge',
    when: 'The body is larger than 64 KiB.',
    example: new Problem('body.tooLarge', 'Send at most 65,536 bytes.'),
  },
  {
    code: 'type.unsupported',
    when: 'The body is not `application/json` in UTF-8, or it is compressed.',
    example: new Problem(
      'type.unsupported',
      'Send "Content-Type: application/json", in UTF-8 and without compression.',
    ),
  },
  {
    code: 'expectation.unknown',
    when: 'The header Expect has a value other than `100-continue`. The connection is closed.',
    example: expectationProblem(),
  },
  {
    code: 'event.invalid',
    when: 'Members of an event are missing or wrong; up to 100 of them are reported together, each with a JSON Pointer.',
    example: new Problem('event.invalid', 'One member is wrong.', {
      errors: [{ pointer: '/user', detail: 'The string is empty.', expected: 'a string of 1 to 256 characters' }],
    }),
  },
  {
    code: 'key.reused',
    when: 'The same Idempotency-Key was sent with another body within 24 hours.',
    example: new Problem('key.reused', 'This Idempotency-Key was used with another body in the last 24 hours.'),
  },
  {
    code: 'request.invalid',
    when: 'The Idempotency-Key is not 1 to 255 printable ASCII characters, or members of the report of an outcome are missing or wrong; up to 100 of them are reported together.',
    example: idempotencyKeyProblem(),
  },
  {
    code: 'rate.limited',
    when: 'The key has sent more than its workspace allows (there is no limit unless one was set), or too many wrong keys came from this address. `Retry-After` states when to continue.',
    example: new Problem('rate.limited', 'This key may send 500 requests per second, in bursts of up to 1000.'),
  },
  {
    code: 'lag.exceeded',
    when: 'The event would wait longer for its decision than the workspace allows with `lagMax` (not set by default). Nothing was stored. `Retry-After` states when to send it again.',
    example: new Problem('lag.exceeded', 'An event that is sent now would wait more than 30 seconds for its decision.'),
  },
  {
    code: 'headers.tooLarge',
    when: 'All headers together are larger than 16 KiB. The connection is closed.',
    example: new Problem('headers.tooLarge', 'All headers together may have 16 KiB.'),
  },
  {
    code: 'service.failed',
    when: 'An internal error. The event may or may not have been stored.',
    example: new Problem('service.failed', 'Tell us the request id if it happens again.'),
  },
  {
    code: 'coding.unknown',
    when: 'The header Transfer-Encoding names a coding other than `chunked`. The connection is closed.',
    example: codingProblem(),
  },
  {
    code: 'log.unavailable',
    when: 'The event may not have been stored. Send it again with the same Idempotency-Key.',
    example: new Problem(
      'log.unavailable',
      'The event may not have been stored. Send it again with the same Idempotency-Key.',
    ),
  },
];

/** Names of the headers that a response with this status carries in addition to `X-Request-Id`. */
const headersOf: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Statuses of refusals that follow authentication. */
const afterAuthentication: ReadonlySet<number> = new Set([400, 403, 413, 415, 422, 429, 500, 503]);

const header = (name: string): object => ({ $ref: `#/components/headers/${name}` });

/** One response for each status, with an example for each problem that has it. */
export function problemResponses(): Readonly<Record<string, object>> {
  const statuses = [...new Set(met.map(({ code }) => problems[code].status))].toSorted((left, right) => left - right);
  return Object.fromEntries(statuses.map((status) => [String(status), responseOf(status)]));
}

function responseOf(status: number): object {
  return printed(
    status,
    met.filter(({ code }) => problems[code].status === status),
  );
}

function printed(status: number, shown: readonly ShownProblem[]): object {
  const { description, content } = problemResponse(shown, 'req_5gq2m7tzkd_1a');
  const lag = afterAuthentication.has(status) ? ['Ringfence-Lag'] : [];
  const names = ['X-Request-Id', ...lag, ...(headersOf[status] ?? [])];
  return { description, headers: Object.fromEntries(names.map((name) => [name, header(name)])), content };
}

const workspaceUnknown: ShownProblem = {
  code: 'thing.unknown',
  when: 'There is no such workspace.',
  example: new Problem('thing.unknown', 'No workspace has this id. `ringfence workspace list` shows the ids.'),
};

const mayNotReport: ShownProblem = {
  code: 'right.missing',
  when: 'The license key may not report this outcome: see the setting `outcomes.keyMayLabel`.',
  example: new Problem(
    'right.missing',
    'In this workspace a license key may not report "fraud". Report it with a token that has the scope "outcomes:write", to POST /management/v1/workspaces/k3x7q2ma/outcomes, or set outcomes.keyMayLabel.',
  ),
};

/** Only reports of outcomes can get this problem. */
export const mayNotReportResponse = printed(403, [mayNotReport]);

/** Only requests for device keys can get this problem, not senders of events. */
export const workspaceUnknownResponse = printed(404, [workspaceUnknown]);

const pathUnknown = met.find(({ code }) => code === 'path.unknown')!;

/** The problems that only questions for a status can get, or that mean something else for them. */
const statusMet: readonly ShownProblem[] = [
  pathUnknown,
  {
    code: 'thing.unknown',
    when: 'This workspace has no such event, user or reference, or no longer. The answer does not show whether another has.',
    example: new Problem('thing.unknown', 'There is no such event in this workspace, or it is no longer kept.'),
  },
  {
    code: 'request.invalid',
    when: 'Members are missing, wrong, unknown or cannot be combined; all are reported together.',
    example: new Problem('request.invalid', 'The request is not a question for a status.', {
      errors: [
        {
          pointer: '/user',
          detail: 'This member is missing.',
          expected: '"event", or "user" and "reference", or "user" and "session"',
        },
      ],
    }),
  },
  {
    code: 'service.failed',
    when: 'An internal error.',
    example: new Problem('service.failed', 'Tell us the request id if it happens again.'),
  },
  {
    code: 'database.unavailable',
    when: 'The database does not answer.',
    example: new Problem('database.unavailable', 'The status cannot be read until the database answers again.'),
  },
];

/** The responses of questions for a status that differ from those of events, by status. */
export function statusProblemResponses(): Readonly<Record<string, object>> {
  const statuses = [...new Set(statusMet.map(({ code }) => problems[code].status))];
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      printed(
        status,
        statusMet.filter(({ code }) => problems[code].status === status),
      ),
    ]),
  );
}

export const doorProblemSchema = problemSchema({
  description: 'Problem details (RFC 9457). It never repeats a value that was sent.',
  codes: [...new Set([...met, mayNotReport, workspaceUnknown, ...statusMet].map(({ code }) => code))],
  pointer: 'JSON Pointer (RFC 6901) into the body, or to a header: `/Idempotency-Key`. "" is the whole body.',
});

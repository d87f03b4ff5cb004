import { Problem, problems } from '@ringfence/contract';
import { idempotencyKeyProblem } from './idempotency.ts';
import { codingProblem } from '../platform/http/header-check.ts';
import { expectationProblem } from '../platform/http/client-errors.ts';
import { problemResponse, problemSchema, type ShownProblem } from '../platform/api-reference/problem-response.ts';

/** The problems that a sender of events can meet, with an example of what is said and when it is said. */
const met: readonly ShownProblem[] = [
  {
    code: 'json.malformed',
    when: 'The body is no JSON, or JSON that can not be kept: NUL, lone surrogates, duplicate members, more than 8 levels or 256 members.',
    example: new Problem('json.malformed', 'A string does not end, at the end of the text.', {
      errors: [
        {
          pointer: '/user',
          detail: 'A string does not end, at the end of the text.',
          expected: 'a closing double quote',
        },
      ],
    }),
  },
  {
    code: 'http.malformed',
    when: 'The request is no HTTP, has no Host, has two headers of a kind that may come once, or ends before its Content-Length. The connection is closed.',
    example: new Problem('http.malformed', 'The request could not be read: Invalid header token.'),
  },
  {
    code: 'key.invalid',
    when: 'The license key is missing, unknown, revoked, or of the other environment: the answer is the same.',
    example: new Problem(
      'key.invalid',
      'Send a live license key of this environment as "Authorization: Bearer <LICENSE_KEY>".',
    ),
  },
  {
    code: 'path.unknown',
    when: 'No such path.',
    example: new Problem('path.unknown', 'The paths are listed in /openapi.json.'),
  },
  {
    code: 'method.wrong',
    when: 'Another method than POST.',
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
    when: 'The header Expect is another than `100-continue`. The connection is closed.',
    example: expectationProblem(),
  },
  {
    code: 'event.invalid',
    when: 'Members are missing or wrong; all are told at once, up to 100, each by a JSON Pointer.',
    example: new Problem('event.invalid', 'One member is wrong.', {
      errors: [{ pointer: '/user', detail: 'The string is empty.', expected: 'a string of 1 to 256 characters' }],
    }),
  },
  {
    code: 'key.reused',
    when: 'The same Idempotency-Key came with another body within 24 hours.',
    example: new Problem(
      'key.reused',
      'An event with this Idempotency-Key and another body came in the last 24 hours.',
    ),
  },
  {
    code: 'request.invalid',
    when: 'The Idempotency-Key is not 1 to 255 printable ASCII characters.',
    example: idempotencyKeyProblem(),
  },
  {
    code: 'rate.limited',
    when: 'The key has sent more than its workspace allows (there is no limit unless one was set), or too many wrong keys came from this address. `Retry-After` says when to go on.',
    example: new Problem('rate.limited', 'This key may send 500 requests a second, and 1000 at once.'),
  },
  {
    code: 'headers.tooLarge',
    when: 'All headers together have more than 16 KiB. The connection is closed.',
    example: new Problem('headers.tooLarge', 'All headers together may have 16 KiB.'),
  },
  {
    code: 'service.failed',
    when: 'An error of ours. It is not known whether the event was stored.',
    example: new Problem('service.failed', 'Tell us the request id if it happens again.'),
  },
  {
    code: 'coding.unknown',
    when: 'The header Transfer-Encoding names another coding than `chunked`. The connection is closed.',
    example: codingProblem(),
  },
  {
    code: 'log.unavailable',
    when: 'The event could not be stored, or it is not known to be. Send it again, with the same Idempotency-Key.',
    example: new Problem(
      'log.unavailable',
      'The event was not stored, or it is not known to be. Send it again, with the same Idempotency-Key.',
    ),
  },
];

/** Names of the headers that an answer of this status carries beside `X-Request-Id`. */
const headersOf: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

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
  const names = ['X-Request-Id', ...(headersOf[status] ?? [])];
  return { description, headers: Object.fromEntries(names.map((name) => [name, header(name)])), content };
}

const workspaceUnknown: ShownProblem = {
  code: 'thing.unknown',
  when: 'There is no such workspace.',
  example: new Problem('thing.unknown', 'No workspace has this id. `ringfence workspace list` shows the ids.'),
};

/** Whoever asks for the keys of devices meets this one, and no sender of events does. */
export const workspaceUnknownResponse = printed(404, [workspaceUnknown]);

export const doorProblemSchema = problemSchema({
  description: 'Problem details (RFC 9457). It never repeats a value that was sent.',
  codes: [...met, workspaceUnknown].map(({ code }) => code),
  pointer: 'JSON Pointer (RFC 6901) into the body, or to a header: `/Idempotency-Key`. "" is the whole body.',
});

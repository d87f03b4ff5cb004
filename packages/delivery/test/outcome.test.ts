import { describe, expect, it } from 'vitest';
import { verdictOf } from '../src/outcome.ts';

const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0);

interface Row {
  readonly status: number;
  readonly body?: string;
  readonly retryAfter?: string;
  readonly truncated?: boolean;
  /** In words: the kind, then the reason or the message, the requested wait, and "busy" when overloaded. */
  readonly verdict: string;
}

const bom = String.fromCodePoint(0xfe_ff);

const table: readonly Row[] = [
  { status: 200, body: '{"code":1}', verdict: 'executed' },
  { status: 200, body: '{"code":1,"message":"done"}', verdict: 'executed done' },
  { status: 200, body: '{"message":"done","code":1,"ticket":7}', verdict: 'executed done' },
  { status: 201, body: ' {"code": 1} \n', verdict: 'executed' },
  { status: 202, body: '{"code":1.0}', verdict: 'executed' },
  { status: 299, body: '{"code":1,"message":null}', verdict: 'executed' },
  { status: 200, body: `${bom}{"code":1}`, verdict: 'executed' },
  { status: 200, body: '{"code":1,"message":5}', verdict: 'executed' },
  { status: 200, body: '{"code":0}', verdict: 'notExecuted' },
  { status: 200, body: '{"code":0,"message":"unknown client"}', verdict: 'notExecuted unknown client' },
  { status: 200, body: '{"code":-0}', verdict: 'notExecuted' },
  // 2xx with a body that is not a valid answer.
  { status: 200, body: '', verdict: 'retry answer' },
  { status: 204, verdict: 'retry answer' },
  { status: 200, body: 'OK', verdict: 'retry answer' },
  { status: 200, body: '1', verdict: 'retry answer' },
  { status: 200, body: 'null', verdict: 'retry answer' },
  { status: 200, body: '[{"code":1}]', verdict: 'retry answer' },
  { status: 200, body: '{}', verdict: 'retry answer' },
  { status: 200, body: '{"code":2}', verdict: 'retry answer' },
  { status: 200, body: '{"code":"1"}', verdict: 'retry answer' },
  { status: 200, body: '{"code":true}', verdict: 'retry answer' },
  { status: 200, body: '{"code":1', verdict: 'retry answer' },
  { status: 200, body: '{"__proto__":{"code":1}}', verdict: 'retry answer' },
  { status: 200, body: '<html>200 OK</html>', verdict: 'retry answer' },
  { status: 200, body: '['.repeat(60_000), verdict: 'retry answer' },
  { status: 200, body: '{"code":1}', truncated: true, verdict: 'retry answerTooLong' },
  // Redirects are failures, whatever their body is.
  { status: 300, verdict: 'retry redirect' },
  { status: 301, body: '{"code":1}', verdict: 'retry redirect' },
  { status: 302, verdict: 'retry redirect' },
  { status: 303, verdict: 'retry redirect' },
  { status: 304, verdict: 'retry redirect' },
  { status: 307, verdict: 'retry redirect' },
  { status: 308, verdict: 'retry redirect' },
  // Client errors.
  { status: 400, body: '{"code":1}', verdict: 'retry status' },
  { status: 401, verdict: 'retry status' },
  { status: 403, verdict: 'retry status' },
  { status: 404, verdict: 'retry status' },
  { status: 409, verdict: 'retry status' },
  { status: 410, body: '{"code":1}', verdict: 'retry status' },
  { status: 422, verdict: 'retry status' },
  // Overload.
  { status: 429, verdict: 'retry status busy' },
  { status: 429, retryAfter: '120', verdict: 'retry status 120000 busy' },
  { status: 502, verdict: 'retry status busy' },
  { status: 504, verdict: 'retry status busy' },
  // Server errors, with and without Retry-After.
  { status: 500, body: '{"code":1}', verdict: 'retry status' },
  { status: 503, verdict: 'retry status' },
  { status: 503, retryAfter: '0', verdict: 'retry status 0' },
  { status: 503, retryAfter: 'Sat, 21 Nov 2026 12:01:30 GMT', verdict: 'retry status 90000' },
  { status: 503, retryAfter: 'Sat, 21 Nov 2026 11:00:00 GMT', verdict: 'retry status 0' },
  { status: 503, retryAfter: '-5', verdict: 'retry status' },
  { status: 503, retryAfter: '1e3', verdict: 'retry status' },
  { status: 503, retryAfter: 'soon', verdict: 'retry status' },
  { status: 503, retryAfter: '2026-11-21T12:01:30Z', verdict: 'retry status' },
  { status: 599, verdict: 'retry status' },
];

describe('the meaning of an answer', () => {
  it.each(table)(
    '$status $body $retryAfter: $verdict',
    ({ status, body = '', retryAfter, truncated = false, verdict }) => {
      const found = verdictOf({ status, retryAfter, body: Buffer.from(body), truncated }, nowMs);
      const words =
        found.kind === 'retry'
          ? [found.kind, found.reason, found.retryAfterMs, found.overloaded ? 'busy' : undefined]
          : [found.kind, 'message' in found ? found.message : undefined];
      expect(words.filter((word) => word !== undefined).join(' ')).toBe(verdict);
    },
  );

  it('truncates a long message', () => {
    const body = JSON.stringify({ code: 0, message: 'x'.repeat(50_000) });
    const found = verdictOf({ status: 200, retryAfter: undefined, body: Buffer.from(body), truncated: false }, nowMs);
    expect(found.kind === 'notExecuted' && found.message?.length).toBe(2_000);
  });

  it('does not cut a surrogate pair in half: JSON parsers reject that', () => {
    for (const message of [`${'x'.repeat(1_999)}😀`, '\ud800']) {
      const body = Buffer.from(JSON.stringify({ code: 0, message }));
      const found = verdictOf({ status: 200, retryAfter: undefined, body, truncated: false }, nowMs);
      expect(found.kind === 'notExecuted' && found.message?.at(-1)).toBe('\ufffd');
    }
  });

  it('tolerates bytes that are not valid UTF-8', () => {
    const answer = { status: 200, retryAfter: undefined, body: Buffer.from([0xff, 0xfe, 0x00]), truncated: false };
    expect(verdictOf(answer, nowMs)).toMatchObject({ kind: 'retry', reason: 'answer' });
  });
});

import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { frameworkProblem } from '../../../src/platform/http/framework-problem.ts';

const request = (complete: boolean): Pick<FastifyRequest, 'raw'> => ({
  raw: { complete } as FastifyRequest['raw'],
});

describe('the problem for an error of Fastify', () => {
  it.each([
    ['FST_ERR_CTP_BODY_TOO_LARGE', 'body.tooLarge'],
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'type.unsupported'],
    ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'http.malformed'],
    ['FST_ERR_BAD_URL', 'path.unknown'],
    ['FST_ERR_MAX_PARAM_LENGTH', 'path.unknown'],
    ['FST_ERR_SOMETHING_ELSE', undefined],
    [undefined, undefined],
  ])('%s is %s', (code, problem) => {
    expect(frameworkProblem(Object.assign(new Error(), { code }), request(false), 65_536)?.code).toBe(problem);
  });

  it('states the limit of its listener', () => {
    const error = Object.assign(new Error(), { code: 'FST_ERR_CTP_BODY_TOO_LARGE' });
    expect(frameworkProblem(error, request(false), 65_536)?.detail).toBe('Send at most 65,536 bytes.');
  });

  it('for ECONNRESET is a truncated body, unless the body was complete', () => {
    const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    expect(frameworkProblem(error, request(false), 65_536)?.code).toBe('http.malformed');
    expect(frameworkProblem(error, request(true), 65_536)).toBeUndefined();
  });
});

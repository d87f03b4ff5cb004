import { describe, expect, it } from 'vitest';
import { problemDetails } from '../src/problem-details.ts';
import { Problem, type ProblemCode, problems } from '../src/problem.ts';

describe('problemDetails', () => {
  it.each(Object.keys(problems) as ProblemCode[])('%s has the members of RFC 9457', (code) => {
    const details = problemDetails(new Problem(code, 'why', { cause: new Error('secret') }), 'req-1');
    expect(details).toEqual({
      type: `urn:ringfence:problem:${code}`,
      title: problems[code].title,
      status: problems[code].status,
      detail: 'why',
      code,
      requestId: 'req-1',
    });
  });

  it('lists every invalid member', () => {
    const errors = [{ pointer: '/user', detail: 'The string is empty.', expected: 'a string' }];
    expect(problemDetails(new Problem('event.invalid', 'x', { errors }), 'r').errors).toEqual(errors);
  });
});

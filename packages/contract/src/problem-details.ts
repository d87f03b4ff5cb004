import { type FieldError, type Problem, type ProblemCode, problems } from './problem.ts';

export const problemMediaType = 'application/problem+json';

/** Problem details of RFC 9457, with a stable `code` and every wrong member. */
export interface ProblemDetails {
  /** The kind of problem; the reference page lists it under this name. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly requestId: string;
  readonly errors?: readonly FieldError[];
}

/** A URN, because an installation does not know a public address for its documentation. */
export function problemType(code: ProblemCode): string {
  return `urn:ringfence:problem:${code}`;
}

export function problemDetails(problem: Problem, requestId: string): ProblemDetails {
  const { status, title } = problems[problem.code];
  const details = {
    type: problemType(problem.code),
    title,
    status,
    detail: problem.detail,
    code: problem.code,
    requestId,
  };
  return problem.errors.length === 0 ? details : { ...details, errors: problem.errors };
}

import { type Problem, type ProblemCode, problemDetails, problemMediaType } from '@ringfence/contract';

/** A problem as an OpenAPI document shows it. */
export interface ShownProblem {
  readonly code: ProblemCode;
  /** When it is met. */
  readonly when: string;
  readonly example: Problem;
}

export interface PrintedResponse {
  readonly description: string;
  readonly content: object;
}

/** The response of one status: when each of its problems is met, with an example of each. */
export function problemResponse(shown: readonly ShownProblem[], requestId: string): PrintedResponse {
  return {
    description: shown.map(({ code, when }) => `\`${code}\`: ${when}`).join('\n\n'),
    content: {
      [problemMediaType]: {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(
          shown.map(({ code, example }) => [code, { value: problemDetails(example, requestId) }]),
        ),
      },
    },
  };
}

/** What a listener says of its problems that the other one does not. */
export interface ProblemWords {
  readonly description: string;
  /** The codes that can be met. */
  readonly codes: readonly string[];
  readonly pointer: string;
}

/** The schema of problem details (RFC 9457), as `#/components/schemas/Problem`. */
export function problemSchema({ description, codes, pointer }: ProblemWords): object {
  return {
    title: 'Problem',
    description,
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
    properties: {
      type: { type: 'string', format: 'uri', description: 'Names the kind of problem.' },
      title: { type: 'string', description: 'The kind of problem in words.' },
      status: { type: 'integer', description: 'The HTTP status.' },
      detail: { type: 'string', description: 'What it was this time.' },
      code: { type: 'string', description: 'Stable name of the kind of problem.', enum: codes },
      requestId: { type: 'string', description: 'The same as the header X-Request-Id.' },
      errors: {
        type: 'array',
        description: 'Everything that is wrong.',
        items: {
          type: 'object',
          required: ['pointer', 'detail', 'expected'],
          properties: {
            pointer: { type: 'string', description: pointer },
            detail: { type: 'string', description: 'What is wrong with it.' },
            expected: { type: 'string', description: 'What was expected.' },
          },
        },
      },
    },
  };
}

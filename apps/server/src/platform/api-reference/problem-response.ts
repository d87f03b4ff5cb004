import { type Problem, type ProblemCode, problemDetails, problemMediaType } from '@ringfence/contract';

/** A problem as it is shown in an OpenAPI document. */
export interface ShownProblem {
  readonly code: ProblemCode;
  /** The condition that causes it. */
  readonly when: string;
  readonly example: Problem;
}

export interface PrintedResponse {
  readonly description: string;
  readonly content: object;
}

/** The response for one status: the condition of each of its problems, with an example of each. */
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

/** The texts of the problem schema that differ between the listeners. */
export interface ProblemWords {
  readonly description: string;
  /** The codes that can occur. */
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
      type: { type: 'string', format: 'uri', description: 'Identifies the kind of problem.' },
      title: { type: 'string', description: 'Short description of the kind of problem.' },
      status: { type: 'integer', format: 'int32', description: 'The HTTP status.' },
      detail: { type: 'string', description: 'What went wrong in this request.' },
      code: { type: 'string', description: 'Stable name of the kind of problem.', enum: codes },
      requestId: { type: 'string', description: 'The same as the header X-Request-Id.' },
      errors: {
        type: 'array',
        description: 'Every wrong member.',
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

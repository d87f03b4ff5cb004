import { type FieldError, Problem, type ProblemCode, problems } from '@ringfence/contract';
import { problemResponse, problemSchema, type ShownProblem } from '../../platform/api-reference/problem-response.ts';

/** Problems that every operation can return. */
export const commonProblems: readonly ProblemCode[] = [
  'http.malformed',
  'token.invalid',
  'session.missing',
  'right.missing',
  'request.foreign',
  'request.slow',
  'request.invalid',
  'rate.limited',
  'headers.tooLarge',
  'service.failed',
  'database.unavailable',
];

/** Problems of every operation with a body. */
export const bodyProblems: readonly ProblemCode[] = [
  'json.malformed',
  'body.tooLarge',
  'type.unsupported',
  'expectation.unknown',
  'coding.unknown',
];

/** Example details; problems without one show their general advice. */
const examples: Partial<Record<ProblemCode, { readonly detail: string; readonly errors?: readonly FieldError[] }>> = {
  'thing.unknown': { detail: 'There is no workspace "acne:production"; /management/v1/workspaces lists them.' },
  'token.invalid': { detail: 'Send the admin token, or a token that it created, as "Authorization: Bearer <token>".' },
  'rate.limited': { detail: 'Too many wrong tokens came from this address.' },
  'state.conflict': { detail: 'A workspace has at most 2 live keys. Revoke one first.' },
  'owner.config': { detail: 'The settings of workspace "acme" (production) are declared in the configuration file.' },
  'request.invalid': {
    detail: 'limit: expected a whole number from 1 to 200, found "1000"',
    errors: [
      {
        pointer: '/limit',
        detail: 'limit: expected a whole number from 1 to 200, found "1000"',
        expected: 'a whole number from 1 to 200',
      },
    ],
  },
  'policy.invalid': {
    detail: 'rules.yaml:12:7: unknown fact "order.amuont" (did you mean order.amount?)',
    errors: [
      {
        pointer: '/files/0',
        detail: 'rules.yaml:12:7: unknown fact "order.amuont" (did you mean order.amount?)',
        expected: 'did you mean order.amount?',
      },
    ],
  },
};

/** Prints problem responses into an OpenAPI document: each once under `components`, referenced from everywhere else. */
export class ResponsePrinter {
  readonly components: Record<string, object> = {};

  /** Prints one response per HTTP status of the codes. */
  print(codes: readonly ProblemCode[]): Readonly<Record<string, object>> {
    const byStatus = Map.groupBy(new Set(codes), (code) => problems[code].status);
    const statuses = [...byStatus.keys()].toSorted((a, b) => a - b);
    return Object.fromEntries(statuses.map((status) => [String(status), this.#reference(byStatus.get(status)!)]));
  }

  #reference(codes: readonly ProblemCode[]): object {
    const name = codes.toSorted().join('_or_');
    this.components[name] ??= problemResponse(codes.map(shown), exampleRequestId);
    return { $ref: `#/components/responses/${name}` };
  }
}

const exampleRequestId = '0f9e4b0c-5a43-4a5e-9a53-2c2f0f1a7d11';

function shown(code: ProblemCode): ShownProblem {
  const { title, advice } = problems[code];
  const { detail, errors = [] } = examples[code] ?? { detail: advice };
  return { code, when: title, example: new Problem(code, detail, { errors }) };
}

export const managementProblemSchema = problemSchema({
  description: 'Problem details (RFC 9457).',
  codes: Object.keys(problems),
  pointer: 'JSON Pointer (RFC 6901) into the body, or to a parameter: `/limit`. "" is the whole body.',
});

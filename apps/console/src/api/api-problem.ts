import type { Problem } from './operations.generated.ts';

/** A request that was not answered with what was asked for. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  /** Everything that is wrong with what was sent. */
  readonly errors: NonNullable<Problem['errors']>;

  constructor(status: number, said: Partial<Problem>, options?: ErrorOptions) {
    super(said.detail ?? said.title ?? `The service answered ${status}.`, options);
    this.status = status;
    this.code = said.code ?? 'answer.unknown';
    this.title = said.title ?? `The service answered ${status}.`;
    this.detail = said.detail ?? '';
    this.requestId = said.requestId;
    this.errors = said.errors ?? [];
  }

  /** Of an answer's text: problem details, or whatever a proxy wrote instead. */
  static of(status: number, text: string): ApiProblem {
    try {
      return new ApiProblem(status, JSON.parse(text) as Partial<Problem>);
    } catch {
      return new ApiProblem(status, {});
    }
  }

  static unreachable(cause: unknown): ApiProblem {
    return new ApiProblem(0, { title: 'The service cannot be reached.' }, { cause });
  }
}

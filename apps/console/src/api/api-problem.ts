import type { Problem } from './operations.generated.ts';

/** A request that failed or was refused. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  /** Every error in the request. */
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

  /** Parses a response body: problem details, or the text of a proxy. */
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

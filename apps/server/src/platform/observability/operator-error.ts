/**
 * An error that the operator can fix: shown without a stack, as one sentence on what is wrong and one on what to do.
 * Never contains a secret.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  /** What to do about it. */
  readonly mend: string;

  constructor(message: string, mend: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.mend = mend;
  }
}

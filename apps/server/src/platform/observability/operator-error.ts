/**
 * Something that whoever runs the installation can mend: shown without a stack, as one sentence that says what is
 * wrong and one that says what to do. Never holds a secret.
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

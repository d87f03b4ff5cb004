/** The engine, or the opening of a record for it, threw on one record. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  readonly offset: number;

  constructor(offset: number, cause: unknown) {
    super(`record ${offset} could not be stepped`, { cause });
    this.offset = offset;
  }
}

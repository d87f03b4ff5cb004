import type { FailureReason } from '@ringfence/delivery';

/** A connection that was not made, and why. */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

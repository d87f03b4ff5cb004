import type { FailureReason } from '@ringfence/delivery';

/** A connection failed, with the reason. */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

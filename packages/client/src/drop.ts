import type { RingfenceEvent } from './event.ts';

/** Why an event does not reach the service. */
export type DropReason =
  /** The queue is full, by count or by bytes. The newest event is dropped. */
  | { readonly kind: 'queueFull' }
  /** Larger than the service accepts. */
  | { readonly kind: 'tooLarge'; readonly sizeBytes: number }
  /**
   * It can't be written as JSON, its amount is not a decimal number, or its idempotency key is not a valid header
   * value.
   */
  | { readonly kind: 'unsendable'; readonly detail: string }
  /** The service refused it, and would again: a 4xx other than 429, with the problem's code and detail. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string | undefined;
      readonly detail: string;
      readonly requestId: string | undefined;
    }
  /** It could not be delivered in time. */
  | { readonly kind: 'expired'; readonly attempts: number; readonly lastFailure: string | undefined }
  /** The client was closed, before the call or while the event waited. */
  | { readonly kind: 'closed'; readonly attempts: number; readonly lastFailure: string | undefined };

/**
 * Called synchronously for every dropped event: keep it short. Errors and rejections are swallowed. An event that is
 * dropped while the callback runs is counted but not reported. The event is a copy as it would have been sent; if there
 * is none (`unsendable`), or none is needed (`queueFull`, `tooLarge`, `closed` before the call), it is the original.
 */
export type OnDrop = (reason: DropReason, event: RingfenceEvent) => void;

import type { RingfenceEvent } from './event.ts';

/** Why an event will not reach the service. */
export type DropReason =
  /** The queue is full, by count or by bytes. The event that came last is the one that is left out. */
  | { readonly kind: 'queueFull' }
  /** Larger than the service takes. */
  | { readonly kind: 'tooLarge'; readonly sizeBytes: number }
  /** It can't be written as JSON, its amount is no decimal number, or its idempotency key no header value. */
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
  /** The client was closed, before or while it waited. */
  | { readonly kind: 'closed'; readonly attempts: number; readonly lastFailure: string | undefined };

/**
 * Called for every event that is left out, at once: keep it short. What it throws, or rejects with, is swallowed. An
 * event that is dropped while it runs is counted and not reported. The event is a copy as it would have been sent;
 * where there is none (`unsendable`) or no use for one (`queueFull`, `tooLarge`, `closed` at the call) the original.
 */
export type OnDrop = (reason: DropReason, event: RingfenceEvent) => void;

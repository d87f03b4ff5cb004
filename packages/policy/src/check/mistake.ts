import type { Span } from '../expression/node.ts';

/** A mistake at a place in a text. The caller that knows the file turns it into a `PolicyError`. */
export interface Mistake extends Span {
  readonly message: string;
  /** The expected form, or the nearest known name. */
  readonly suggestion?: string | undefined;
  readonly severity?: 'error' | 'warning';
}

/** Receives mistakes, so that one pass reports all of them. */
export type Report = (mistake: Mistake) => void;

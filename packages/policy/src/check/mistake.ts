import type { Span } from '../expression/node.ts';

/** Something wrong at a place in a text. Whoever knows the file turns it into a `PolicyError`. */
export interface Mistake extends Span {
  readonly message: string;
  /** What was expected, or the nearest known name. */
  readonly suggestion?: string | undefined;
  readonly severity?: 'error' | 'warning';
}

/** Where mistakes go, so that all of them are found in one pass. */
export type Report = (mistake: Mistake) => void;

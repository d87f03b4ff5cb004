import type { ProblemCode } from '@ringfence/contract';
import type { AskedThen, DecidedThen } from './decide-then.ts';
import type { SearchedFor } from './search-log.ts';
import type { Found } from './search-tally.ts';

/** A question whose answer takes a walk through the log. Plain values: it goes to a thread. */
export type Inquiry =
  | { readonly kind: 'decideThen'; readonly asked: AskedThen }
  | { readonly kind: 'search'; readonly wanted: SearchedFor };

/** What is heard of it, the last one of the three last kinds. */
export type Heard =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'searched'; readonly found: Found; readonly notes: readonly string[] }
  | { readonly kind: 'decided'; readonly decided: DecidedThen }
  | { readonly kind: 'failed'; readonly code: ProblemCode; readonly detail: string };

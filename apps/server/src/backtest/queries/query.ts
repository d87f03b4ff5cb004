import type { ProblemCode } from '@ringfence/contract';
import type { RedecideRequest, Redecided } from './redecide.ts';
import type { SearchedFor } from './search-log.ts';
import type { Found } from './search-tally.ts';

/** A long query: a scan of the log. Plain values, because it is passed to a thread. */
export type Query =
  | { readonly kind: 'decideThen'; readonly asked: RedecideRequest }
  | { readonly kind: 'search'; readonly wanted: SearchedFor };

/** Messages of a query; the last one has one of the last three kinds. */
export type Heard =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'searched'; readonly found: Found; readonly notes: readonly string[] }
  | { readonly kind: 'decided'; readonly decided: Redecided }
  | { readonly kind: 'failed'; readonly code: ProblemCode; readonly detail: string };

import type { ProblemCode } from '@ringfence/contract';
import type { PolicyFile } from '@ringfence/policy';
import type { RedecideRequest, Redecided } from './redecide.ts';
import type { SearchedFor } from './search-log.ts';
import type { Found } from './search-tally.ts';
import type { TestedPolicy } from './test-policy.ts';

/** A long query: a scan of the log, or a policy's tests. Plain values, because it is passed to a thread. */
export type Query =
  | { readonly kind: 'decideThen'; readonly asked: RedecideRequest }
  | { readonly kind: 'search'; readonly wanted: SearchedFor }
  | { readonly kind: 'testPolicy'; readonly files: readonly PolicyFile[] };

/** Messages of a query; the last one has one of the last four kinds. */
export type Heard =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'searched'; readonly found: Found; readonly notes: readonly string[] }
  | { readonly kind: 'decided'; readonly decided: Redecided }
  | { readonly kind: 'tested'; readonly tested: TestedPolicy }
  | { readonly kind: 'failed'; readonly code: ProblemCode; readonly detail: string };

import type { ProblemCode } from '@ringfence/contract';
import type { PolicyFile } from '@ringfence/policy';
import type { AskedThen, DecidedThen } from './redecide.ts';
import type { SearchedFor } from './search-log.ts';
import type { Found } from './search-tally.ts';
import type { TestedPolicy } from './test-policy.ts';

/** A question whose answer takes a while: a walk through the log, or a policy's tests. Plain values: it goes to a thread. */
export type Inquiry =
  | { readonly kind: 'decideThen'; readonly asked: AskedThen }
  | { readonly kind: 'search'; readonly wanted: SearchedFor }
  | { readonly kind: 'testPolicy'; readonly files: readonly PolicyFile[] };

/** What is heard of it, the last one of the four last kinds. */
export type Heard =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'searched'; readonly found: Found; readonly notes: readonly string[] }
  | { readonly kind: 'decided'; readonly decided: DecidedThen }
  | { readonly kind: 'tested'; readonly tested: TestedPolicy }
  | { readonly kind: 'failed'; readonly code: ProblemCode; readonly detail: string };

import type { Caller } from '../accounts/caller.ts';

/** What an operation may see of its request beside what it says, and add to its answer. */
export interface Exchange {
  readonly caller: Caller;
  /** Where the request comes from. */
  readonly address: string;
  /** What the browser calls itself; "" when it does not. */
  readonly agent: string;
  readonly requestId: string;
  setCookie(cookie: string): void;
}

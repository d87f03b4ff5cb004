import type { Value } from './value.ts';

/**
 * A requirement of a condition on one fact: if the fact is present and has another value, the condition is false.
 */
export interface Demand {
  readonly slot: number;
  readonly values: ReadonlySet<Value>;
}

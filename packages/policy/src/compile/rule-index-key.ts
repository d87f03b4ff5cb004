import type { Value } from './value.ts';

/**
 * A requirement of a condition on one fact: if the fact is present and is none of these values, the condition is false.
 */
export interface Demand {
  readonly slot: number;
  readonly values: ReadonlySet<Value>;
}

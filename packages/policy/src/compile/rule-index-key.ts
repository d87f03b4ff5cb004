import type { Value } from './value.ts';

/** What a condition demands of one fact: when it is there and is none of these values, the condition is false. */
export interface Demand {
  readonly slot: number;
  readonly values: ReadonlySet<Value>;
}

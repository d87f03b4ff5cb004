import type { Decimal } from '@ringfence/contract';

/**
 * The value of a fact at run time; its static type says which: int, double, timestamp (epoch ms) and duration (ms)
 * are `number`; decimal is `Decimal` (a bigint of 10^-12). `undefined` is missing.
 */
export type FactValue = string | number | boolean | Decimal | ReadonlyMap<string, string> | undefined;

/** The facts of one event, by slot. One array per event; slots are those of `Policy.slots`. */
export type Facts = FactValue[];

export type FactType = 'string' | 'int' | 'double' | 'decimal' | 'bool' | 'timestamp' | 'duration' | 'map';

/** `undefined`: a missing fact decided the outcome; the condition does not hold and the rule's health counts it. */
export type Predicate = (facts: Facts) => boolean | undefined;

import type { Decimal } from '@ringfence/contract';

/**
 * The value of a fact at run time. Its static type determines the representation: int, double, timestamp (epoch ms) and
 * duration (ms) are `number`; decimal is `Decimal` (a bigint of 10^-12). `undefined` is missing.
 */
export type FactValue = string | number | boolean | Decimal | ReadonlyMap<string, string> | undefined;

/** The facts of one event, by slot. One array per event, with the slots of `Policy.slots`. */
export type Facts = FactValue[];

export type FactType = 'string' | 'int' | 'double' | 'decimal' | 'bool' | 'timestamp' | 'duration' | 'map';

/** `undefined`: a missing fact decided the result. The rule does not match, and its health page counts it. */
export type Predicate = (facts: Facts) => boolean | undefined;

import type { FactValue } from '../facts/fact-value.ts';
import type { Type } from './type.ts';

/*
 * Values while a condition runs. The static type says what a value is:
 *
 *   int, uint             number where it is a safe integer, else bigint; so equal numbers are equal values
 *   double                number
 *   decimal               bigint of 10^-12
 *   timestamp, duration   number of milliseconds
 *   type                  its name
 *   map                   by key: numbers of any type that are equal are one key
 *   dyn                   Dynamic
 */

/** A key of a map. */
export type Key = string | number | bigint | boolean;

/** `undefined` is missing. */
export type Value = FactValue | bigint | null | Uint8Array | readonly Value[] | ReadonlyMap<Key, Value> | Dynamic;

/** A value that says itself what it is. */
export class Dynamic {
  readonly type: Type;
  readonly value: Value;

  constructor(type: Type, value: Value) {
    this.type = type;
    this.value = value;
  }
}

/** The value with its type on it; what has one already stays as it is. */
export function boxed(type: Type, value: Value): Value {
  return value === undefined || value instanceof Dynamic ? value : new Dynamic(type, value);
}

/** A key as a value that says itself what it is. */
export function boxedKey(key: Key): Value {
  return boxed(typeof key === 'string' ? 'string' : typeof key === 'boolean' ? 'bool' : 'int', key);
}

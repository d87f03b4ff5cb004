import type { FactValue } from '../facts/fact-value.ts';
import type { Type } from './type.ts';

/*
 * Values while a condition runs. The static type determines the representation:
 *
 *   int, uint             number if it is a safe integer, else bigint, so that equal numbers are equal values
 *   double                number
 *   decimal               bigint of 10^-12
 *   timestamp, duration   number of milliseconds
 *   type                  its name
 *   map                   by key: equal numbers of any type are one key
 *   dyn                   Dynamic
 */

/** A key of a map. */
export type Key = string | number | bigint | boolean;

/** `undefined` is missing. */
export type Value = FactValue | bigint | null | Uint8Array | readonly Value[] | ReadonlyMap<Key, Value> | Dynamic;

/** A value that carries its own type. */
export class Dynamic {
  readonly type: Type;
  readonly value: Value;

  constructor(type: Type, value: Value) {
    this.type = type;
    this.value = value;
  }
}

/** The value with its type attached; one that already carries it stays unchanged. */
export function boxed(type: Type, value: Value): Value {
  return value === undefined || value instanceof Dynamic ? value : new Dynamic(type, value);
}

/** A key as a value that carries its own type. */
export function boxedKey(key: Key): Value {
  return boxed(typeof key === 'string' ? 'string' : typeof key === 'boolean' ? 'bool' : 'int', key);
}

import { copyCost } from './bounds.ts';
import type { Compiled } from './compiled.ts';
import { asDecimalValue } from './numbers.ts';
import { isComparable, isList, isMap, isNumber, itemType, memberType, type Type } from './type.ts';
import { Dynamic, type Key, type Value } from './value.ts';

export type Equality = (left: Value, right: Value) => boolean;

/**
 * Whether two values are equal. Numbers of different types are equal if they are the same number; values of other
 * different types never are.
 */
export function equality(left: Type, right: Type): Equality {
  if (left === 'dyn' || right === 'dyn') return dynamicEquality(left, right);
  if (!isComparable(left, right)) return () => false;
  if (isNumber(left) && left !== right) return numberEquality(left, right);
  if (isList(left) && isList(right)) return listEquality(equality(itemType(left), itemType(right)));
  if (isMap(left) && isMap(right)) return mapEquality(equality(memberType(left), memberType(right)));
  return left === 'bytes' ? bytesEquality : (a, b) => a === b;
}

/** The cost, in addition to the call, of comparing two texts or bytes, or one nested value of each part. */
export function compareCost(left: Compiled, right: Compiled): number {
  const shorter = Math.min(left.length, right.length);
  return left.type.includes('bytes') || right.type.includes('bytes') ? shorter : copyCost(shorter);
}

function dynamicEquality(left: Type, right: Type): Equality {
  return (a, b) => {
    const [leftType, leftValue] = a instanceof Dynamic ? [a.type, a.value] : [left, a];
    const [rightType, rightValue] = b instanceof Dynamic ? [b.type, b.value] : [right, b];
    return equality(leftType, rightType)(leftValue, rightValue);
  };
}

function numberEquality(left: Type, right: Type): Equality {
  if (left === 'decimal' || right === 'decimal') {
    return (a, b) => asDecimalValue(left, a) === asDecimalValue(right, b);
  }
  // Compared by order, because an equal bigint and number are not identical.
  return (a, b) => (a as number) <= (b as number) && (a as number) >= (b as number);
}

function listEquality(equal: Equality): Equality {
  return (left, right) => {
    const [a, b] = [left, right] as [readonly Value[], readonly Value[]];
    return a.length === b.length && a.every((item, at) => equal(item, b[at]));
  };
}

function mapEquality(equal: Equality): Equality {
  return (left, right) => {
    const [a, b] = [left, right] as [ReadonlyMap<Key, Value>, ReadonlyMap<Key, Value>];
    return a.size === b.size && [...a].every(([key, member]) => b.has(key) && equal(member, b.get(key)));
  };
}

function bytesEquality(left: Value, right: Value): boolean {
  return compareBytes(left as Uint8Array, right as Uint8Array) === 0;
}

/** Below 0, 0 or above 0, by the first byte that differs. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const differs = left.findIndex((byte, at) => byte !== right[at]);
  if (differs === -1) return left.length - right.length;
  const other = right[differs];
  return other === undefined ? 1 : (left[differs] ?? 0) - other;
}

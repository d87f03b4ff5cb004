import { combine, type Compiled } from './compiled.ts';
import { asDecimal } from './numbers.ts';
import { isList, isMap, itemType, joined, memberType, type Type } from './type.ts';
import { boxed, type Key, type Value } from './value.ts';

/** The same value as another type that includes its type: `dyn`, or a list or map of it. */
export function coerced(part: Compiled, type: Type): Compiled {
  if (part.type === type) return part;
  if (type === 'decimal') return asDecimal(part) ?? part;
  const convert = retyping(part.type, type);
  const { run } = part;
  return combine(type, [part], { run: (facts) => convert(run(facts)), cost: 1 + part.size, size: part.size });
}

function retyping(from: Type, to: Type): (value: Value) => Value {
  if (from === to || from === 'none') return (value) => value;
  if (to === 'dyn') return (value) => boxed(from, value);
  if (to === 'double') return (value) => (typeof value === 'bigint' ? Number(value) : value);
  if (isList(from) && isList(to)) {
    const convert = retyping(itemType(from), itemType(to));
    return (value) => (value as readonly Value[] | undefined)?.map(convert);
  }
  if (!isMap(from) || !isMap(to)) return (value) => value;
  const convert = retyping(memberType(from), memberType(to));
  return (value) =>
    value === undefined
      ? undefined
      : new Map([...(value as ReadonlyMap<Key, Value>)].map(([key, member]) => [key, convert(member)]));
}

/**
 * A type to which both parts can be converted: the same type, the wider of two number types, or else what they have in
 * common. `undefined` if there is none.
 */
export function commonType(a: Type, b: Type): Type | undefined {
  const numbers = widest(a, b);
  if (numbers !== undefined) return numbers;
  if (a === 'dyn' || b === 'dyn') return 'dyn';
  const type = joined(a, b);
  return type === 'dyn' ? undefined : type;
}

/** For numbers that are combined in arithmetic. */
export function widest(a: Type, b: Type): Type | undefined {
  const order: readonly Type[] = ['int', 'double', 'decimal'];
  const at = Math.max(order.indexOf(a), order.indexOf(b));
  return order.includes(a) && order.includes(b) ? order[at] : undefined;
}

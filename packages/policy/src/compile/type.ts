import type { FactType } from '../facts/fact-value.ts';

/*
 * Types are strings, so that equal types are equal strings: `int`, `list<string>`, `map<string, list<int>>`.
 *
 *   dyn    its values carry their own type (`Dynamic`)
 *   none   has no values: the type of the items of `[]`; accepted wherever any type is
 */

export type Scalar = Exclude<FactType, 'map'> | 'uint' | 'bytes' | 'null' | 'type' | 'dyn' | 'none';
export type ListType = `list<${string}>`;
export type MapType = `map<${string}>`;

/** The type of a value in a condition. */
export type Type = Scalar | ListType | MapType;

/** The only map among the facts. */
const textMap: Type = 'map<string, string>';

export function typeOfFact(type: FactType): Type {
  return type === 'map' ? textMap : type;
}

export function listType(item: Type): ListType {
  return `list<${item}>`;
}

export function mapType(key: Type, member: Type): MapType {
  return `map<${key}, ${member}>`;
}

export function isList(type: Type): type is ListType {
  return type.startsWith('list<');
}

export function isMap(type: Type): type is MapType {
  return type.startsWith('map<');
}

export function itemType(list: ListType): Type {
  return list.slice('list<'.length, -1) as Type;
}

/** A key is of a scalar type, so the first comma ends it. */
export function keyType(map: MapType): Type {
  return map.slice('map<'.length, map.indexOf(', ')) as Type;
}

export function memberType(map: MapType): Type {
  return map.slice(map.indexOf(', ') + 2, -1) as Type;
}

/** Number types of arithmetic. */
export function isNumeric(type: Type): boolean {
  return type === 'int' || type === 'double' || type === 'decimal';
}

/** Number types of comparisons. */
export function isNumber(type: Type): boolean {
  return isNumeric(type) || type === 'uint';
}

/** The common type of both, or `dyn`. Numbers of different types have none. */
export function joined(a: Type, b: Type): Type {
  if (a === b || b === 'none') return a;
  if (a === 'none') return b;
  if (isList(a) && isList(b)) return listType(joined(itemType(a), itemType(b)));
  if (isMap(a) && isMap(b)) return mapType(joined(keyType(a), keyType(b)), joined(memberType(a), memberType(b)));
  return 'dyn';
}

/** Whether values of both types could be equal. */
export function isComparable(a: Type, b: Type): boolean {
  if (a === b || isOpen(a) || isOpen(b) || (isNumber(a) && isNumber(b))) return true;
  if (isList(a) && isList(b)) return isComparable(itemType(a), itemType(b));
  if (!isMap(a) || !isMap(b)) return false;
  return isComparable(keyType(a), keyType(b)) && isComparable(memberType(a), memberType(b));
}

/** Whether the type does not determine its values yet. */
export function isOpen(type: Type): boolean {
  return type === 'dyn' || type === 'none';
}

const names: Partial<Record<Type, string>> = {
  bool: 'true or false',
  int: 'a whole number',
  uint: 'an unsigned number',
  bytes: 'bytes',
  null: 'null',
  dyn: 'a value of any type',
  none: 'nothing',
  [textMap]: 'a map',
};

/** The type as messages name it: "a string", "a whole number" … */
export function aType(type: Type): string {
  return names[type] ?? `a ${type}`;
}

import { jsonKeysMax } from '@ringfence/contract';
import { type Expression, type PathNode, type PathPart, pathText } from '../expression/node.ts';
import { distance, nearest } from '../check/nearest.ts';
import { textLengthMax } from './bounds.ts';
import { combine, type Compiled, constant, type Context, type Name, silent } from './compiled.ts';
import { isDynamic, dispatch } from './dynamic-dispatch.ts';
import { declaredList } from './lists.ts';
import { keyCost, rawKey } from './membership.ts';
import {
  aType,
  isComparable,
  isList,
  isMap,
  isOpen,
  itemType,
  keyType,
  memberType,
  type Type,
  typeOfFact,
} from './type.ts';
import type { Key, Value } from './value.ts';
import { wordFromElsewhere } from './foreign-names.ts';

/**
 * A fact, a feature, a list, a name bound by a macro, or a member of any of these that is a map:
 * `transaction.details.key`. If several names match the beginning, the longest wins.
 */
export function compilePath(node: PathNode, context: Context): Compiled | undefined {
  const [first] = node.parts;
  const local = first === undefined ? undefined : context.locals.get(first.name);
  if (local !== undefined) return members(local, node.parts.slice(1), context);
  if (first?.name === 'lists') return declaredList(node, context);
  for (let length = node.parts.length; length > 0; length--) {
    const name = context.vocabulary.find(textOf(node.parts.slice(0, length)));
    if (name === undefined) continue;
    const rest = node.parts.slice(length);
    const type = typeOfFact(name.type);
    if (rest.length === 0 || isMap(type) || isOpen(type)) return members(readFact(name, context), rest, context);
  }
  const path = pathText(node);
  return typeNames.has(path) ? constant('type', path) : refuseUnknown(node, context);
}

/** The names that `type(x)` can return. */
const typeNames: ReadonlySet<string> = new Set(
  'bool int uint double decimal string bytes list map null_type type google.protobuf.Timestamp google.protobuf.Duration'.split(
    ' ',
  ),
);

function textOf(parts: readonly PathPart[]): string {
  return parts.map((part) => part.name).join('.');
}

function readFact(name: Name, context: Context): Compiled {
  const slot = context.vocabulary.slotOf(name.path);
  const type = typeOfFact(name.type);
  return {
    type,
    run: (facts) => facts[slot],
    constant: false,
    slot,
    size: isMap(type) || isList(type) || isOpen(type) ? jsonKeysMax : 0,
    length: isMap(type) || type === 'string' ? (name.lengthMax ?? textLengthMax) : 0,
    reads: [name.path],
    needs: [name.path],
    cost: 1,
    ...(name.range === undefined ? {} : { range: name.range }),
  };
}

function members(owner: Compiled, names: readonly PathPart[], context: Context): Compiled | undefined {
  return names.reduce<Compiled | undefined>((of, name) => of && member(of, name, context), owner);
}

function member(of: Compiled, name: PathPart, context: Context): Compiled | undefined {
  if (isMap(of.type) || isOpen(of.type)) return indexed([of, constant('string', name.name)], [name, name], context);
  context.report({ start: name.start, end: name.end, message: `${aType(of.type)} has no members` });
  return undefined;
}

/** `f(x).name` */
export function compileSelect(node: Expression & { readonly kind: 'select' }, context: Context): Compiled | undefined {
  const of = context.compile(node.of);
  return of === undefined ? undefined : member(of, node.name, context);
}

/** `details["key"]`, `[1, 2, 3][0]` */
export function compileIndex(node: Expression & { readonly kind: 'index' }, context: Context): Compiled | undefined {
  const of = context.compile(node.of);
  const key = context.compile(node.key);
  return of === undefined || key === undefined ? undefined : indexed([of, key], [node.of, node.key], context);
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function indexed(
  parts: readonly [Compiled, Compiled],
  [ofPlace, keyPlace]: readonly [Place, Place],
  context: Context,
): Compiled | undefined {
  const [of, key] = parts;
  const refuse = ({ start, end }: Place, message: string, suggestion: string): undefined =>
    context.report({ start, end, message, suggestion }) as undefined;
  if (isMap(of.type)) {
    if (isComparable(keyType(of.type), key.type)) return atKey(parts, memberType(of.type));
    return refuse(
      keyPlace,
      `a key is ${aType(keyType(of.type))}, not ${aType(key.type)}`,
      'transaction.details["key"]',
    );
  }
  if (isList(of.type)) {
    if (key.type === 'int' || key.type === 'uint' || isOpen(key.type)) return atPlace(parts, itemType(of.type));
    return refuse(keyPlace, `the position in a list is a whole number, not ${aType(key.type)}`, '[1, 2, 3][0]');
  }
  if (!isDynamic([of])) return refuse(ofPlace, `${aType(of.type)} has no members`, 'transaction.details["key"]');
  return dispatch(
    parts,
    { result: 'dyn' },
    ([typed, by]) => typed && by && indexed([typed, by], [ofPlace, keyPlace], silent(context)),
  );
}

/** A key that is not in the map is missing. */
function atKey([map, key]: readonly [Compiled, Compiled], type: Type): Compiled {
  const [runMap, runKey] = [map.run, key.run];
  return combine(type, [map, key], {
    run: (facts) => {
      const entries = runMap(facts) as ReadonlyMap<Key, Value> | undefined;
      const name = runKey(facts);
      return entries === undefined || name === undefined ? undefined : entries.get(rawKey(name));
    },
    cost: 3 + keyCost(key),
    length: map.length,
    size: sizeInside(map, type),
  });
}

/** A position beyond the end of the list is missing. */
function atPlace([list, place]: readonly [Compiled, Compiled], type: Type): Compiled {
  const [runList, runPlace] = [list.run, place.run];
  return combine(type, [list, place], {
    run: (facts) => {
      const items = runList(facts) as readonly Value[] | undefined;
      const at = runPlace(facts);
      const place = rawKey(at);
      return items === undefined || typeof place !== 'number' ? undefined : items[place];
    },
    cost: 3,
    length: list.length,
    size: sizeInside(list, type),
  });
}

/** The most values that an item or member contains. */
export function sizeInside(whole: Compiled, type: Type): number {
  return isList(type) || isMap(type) || isOpen(type) ? whole.size : 0;
}

function refuseUnknown(node: PathNode, context: Context): undefined {
  const path = pathText(node);
  if (context.vocabulary.broken(path) || node.parts[0]?.name === 'params') return undefined;
  const refusal = context.vocabulary.refuses(path);
  if (refusal !== undefined) {
    context.report({ start: node.start, end: node.end, message: refusal });
    return undefined;
  }
  const { start, end } = node;
  if (context.vocabulary.list(path) === undefined)
    context.report({ start, end, ...unknownPath(path, context.vocabulary.paths()) });
  else context.report({ start, end, message: `${path} is a list`, suggestion: `lists.${path}` });
  return undefined;
}

/** The message for a path that is neither a fact nor a feature. */
export function unknownPath(
  path: string,
  known: Iterable<string>,
): { message: string; suggestion: string | undefined } {
  const paths = [...known];
  const members = paths.filter((candidate) => candidate.startsWith(`${path}.`));
  if (members.length > 0) {
    // The wire's own `session` is `session.id` here, which is the one most likely meant.
    const meant = members.find((member) => member === `${path}.id`) ?? members.slice(0, membersShown).join(', ');
    return { message: `${path} is a group of facts, not a fact`, suggestion: meant };
  }
  const owner = paths.find((candidate) => path.startsWith(`${candidate}.`));
  if (owner !== undefined) return { message: `${owner} has no members`, suggestion: owner };
  return { message: `there is no fact or feature ${path}`, suggestion: pathMeant(path, paths) };
}

/**
 * The path that a misspelt one most likely means: one that is near, or one with the same last name in another object of
 * the wire (`account.amount`) or without an object (`amount`).
 */
function pathMeant(path: string, paths: readonly string[]): string | undefined {
  const told = wordFromElsewhere(path);
  if (told !== undefined) return told;
  if (path.startsWith(featurePrefix)) return pathMeant(path.slice(featurePrefix.length), paths);
  const near = nearest(path, paths);
  const last = lastName(path);
  const meant = nearest(last, paths.filter((candidate) => candidate.includes('.')).map(lastName));
  if (meant === undefined) return near;
  // The name of the other object may be misspelt as well.
  const isNearer = near !== undefined && distance(path, near) <= 1 + distance(last, meant);
  if (isNearer) return near;
  const named = paths.filter((candidate) => candidate.endsWith(`.${meant}`));
  return nearest(path, named) ?? named.slice(0, membersShown).join(' or ');
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Lists are read by `lists.name`, features by their names alone. */
const featurePrefix = 'features.';

/** As many as a person reads in a suggestion. */
const membersShown = 5;

import { type Expression, type PathNode, pathText } from '../expression/node.ts';
import { nearest } from '../nearest.ts';
import { aType, combine, type Compiled, constant, type Context, type Name } from './compiled.ts';

/** A fact, a feature, a name bound by a macro, or a member of a map: `transaction.details.key`. */
export function compilePath(node: PathNode, context: Context): Compiled | undefined {
  const [first] = node.parts;
  const local = first === undefined ? undefined : context.locals.get(first.name);
  if (local !== undefined) return node.parts.length === 1 ? local : refuseMembers(node, local, context);
  const name = context.vocabulary.find(pathText(node));
  if (name !== undefined) return readFact(name, context);
  const owner = ownerOf(node, context);
  if (owner === undefined) return refuseUnknown(node, context);
  const key = constant('string', node.parts.at(-1)?.name);
  return member(readFact(owner, context), key);
}

/** Values that a string fact can take, where they are known. */
export function knownValues(node: PathNode, context: Context): readonly string[] | undefined {
  return context.locals.has(pathText(node)) ? undefined : context.vocabulary.find(pathText(node))?.values;
}

function readFact(name: Name, context: Context): Compiled {
  const slot = context.vocabulary.slotOf(name.path);
  const run: Compiled['run'] = (facts) => facts[slot];
  return { type: name.type, run, constant: false, slot, reads: [name.path], needs: [name.path], cost: 1 };
}

/** The map that the path's last part is a key of. */
function ownerOf(node: PathNode, context: Context): Name | undefined {
  const owner = context.vocabulary.find(
    node.parts
      .slice(0, -1)
      .map((part) => part.name)
      .join('.'),
  );
  return owner?.type === 'map' ? owner : undefined;
}

function member(map: Compiled, key: Compiled): Compiled {
  const [runMap, runKey] = [map.run, key.run];
  return combine('string', [map, key], {
    run: (facts) => {
      const entries = runMap(facts);
      const name = runKey(facts);
      return entries instanceof Map && typeof name === 'string' ? (entries.get(name) as string | undefined) : undefined;
    },
    cost: 3,
  });
}

/** `details["key"]` */
export function compileIndex(node: Expression & { readonly kind: 'index' }, context: Context): Compiled | undefined {
  const of = context.compile(node.of);
  const key = context.compile(node.key);
  if (of === undefined || key === undefined) return undefined;
  if (of.type === 'map' && key.type === 'string') return member(of, key);
  const wrong = of.type === 'map' ? node.key : node.of;
  const message = of.type === 'map' ? `a key is a string, not ${aType(key.type)}` : `${aType(of.type)} has no members`;
  context.report({ start: wrong.start, end: wrong.end, message, suggestion: 'transaction.details["key"]' });
  return undefined;
}

function refuseMembers(node: PathNode, local: Compiled, context: Context): undefined {
  context.report({ start: node.start, end: node.end, message: `${aType(local.type)} has no members` });
  return undefined;
}

function refuseUnknown(node: PathNode, context: Context): undefined {
  const path = pathText(node);
  if (context.vocabulary.broken(path)) return undefined;
  const refusal = context.vocabulary.refuses(path);
  if (refusal !== undefined) {
    context.report({ start: node.start, end: node.end, message: refusal });
    return undefined;
  }
  if (node.parts[0]?.name === 'lists') {
    const message = `${path} is a list and stands right of "in" or before .exists, .all and .exists_one`;
    context.report({ start: node.start, end: node.end, message, suggestion: `payee.id in ${path}` });
    return undefined;
  }
  context.report({ start: node.start, end: node.end, ...unknownPath(path, context.vocabulary.paths()) });
  return undefined;
}

/** What to say of a path that is no fact and no feature. */
export function unknownPath(
  path: string,
  known: Iterable<string>,
): { message: string; suggestion: string | undefined } {
  const paths = [...known];
  const members = paths.filter((candidate) => candidate.startsWith(`${path}.`));
  if (members.length > 0) {
    // The wire's own `session` is `session.id` here, and the one most likely meant.
    const meant = members.find((member) => member === `${path}.id`) ?? members.slice(0, membersShown).join(', ');
    return { message: `${path} is a group of facts, not a fact`, suggestion: meant };
  }
  const owner = paths.find((candidate) => path.startsWith(`${candidate}.`));
  if (owner !== undefined) return { message: `${owner} has no members`, suggestion: owner };
  // A name of the wire without its object (`amount`), or with another one (`account.amount`).
  const last = path.slice(path.lastIndexOf('.') + 1);
  const sameName = paths.filter((candidate) => candidate.endsWith(`.${last}`));
  const meant =
    nearest(path, paths) ?? (sameName.length > 0 ? sameName.slice(0, membersShown).join(' or ') : undefined);
  return { message: `there is no fact or feature ${path}`, suggestion: meant };
}

/** As many as a person reads in a suggestion. */
const membersShown = 5;

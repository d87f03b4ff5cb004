import type { Expression } from '../expression/node.ts';
import { pathText } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import { nearest } from '../nearest.ts';
import type { FactType, FactValue } from '../policy.ts';
import { exactly } from './arithmetic.ts';
import { aType, type Compiled, constant, type Context } from './compiled.ts';
import { isNumeric } from './numbers.ts';

/** A list beside `in` or before `.exists`: lists are no values of their own, so that nothing unbounded can be computed. */
export interface CompiledList {
  readonly type: FactType;
  /** All items, or `undefined` when they are known: then they are in `known`. */
  readonly items: readonly Compiled[];
  /** The items' values when all of them are known now. */
  readonly known: ReadonlySet<FactValue> | undefined;
}

/** A literal list or a declared one; `undefined` when it is neither or doesn't check, and that was reported. */
export function compileList(node: Expression, context: Context): CompiledList | undefined {
  if (node.kind === 'list') return literalList(node.items, node, context);
  if (node.kind === 'path' && node.parts[0]?.name === 'lists') return declaredList(node, context);
  const message = `${printExpression(node)} is not a list`;
  context.report({ start: node.start, end: node.end, message, suggestion: '["a", "b"], or lists.name' });
  return undefined;
}

function declaredList(node: Expression & { readonly kind: 'path' }, context: Context): CompiledList | undefined {
  const name = node.parts
    .slice(1)
    .map((part) => part.name)
    .join('.');
  const list = context.vocabulary.list(name);
  if (list === undefined) {
    if (context.vocabulary.broken(name)) return undefined;
    const meant = nearest(name, context.vocabulary.listNames());
    const suggestion = meant === undefined ? 'a list that is declared under lists:' : `lists.${meant}`;
    context.report({ start: node.start, end: node.end, message: `there is no list ${pathText(node)}`, suggestion });
    return undefined;
  }
  return { type: list.type, items: [...list.items].map((item) => constant(list.type, item)), known: list.items };
}

function literalList(nodes: readonly Expression[], list: Expression, context: Context): CompiledList | undefined {
  const parts = nodes.map((node) => context.compile(node));
  const items = parts.filter((part) => part !== undefined);
  if (items.length < parts.length) return undefined;
  if (items.length === 0) {
    context.report({ start: list.start, end: list.end, message: 'the list is empty', suggestion: 'at least one item' });
    return undefined;
  }
  const type = commonType(nodes, items, context);
  if (type === undefined) return undefined;
  const converted = type === 'decimal' ? items.map((item, at) => exactly(nodes[at] ?? list, item, context)) : items;
  const all = converted.filter((item) => item !== undefined);
  return all.length < items.length ? undefined : listOf(type, all);
}

export function listOf(type: FactType, items: readonly Compiled[]): CompiledList {
  const values = items.map((item) => (item.constant ? item.run([]) : undefined));
  const known = values.includes(undefined) ? undefined : new Set(values);
  return { type, items, known };
}

/** The type of all items: the same, or numbers, of which a decimal wins over a double and a double over an int. */
function commonType(nodes: readonly Expression[], items: readonly Compiled[], context: Context): FactType | undefined {
  const types = items.map((item) => item.type);
  if (types.every((type) => isNumeric(type))) {
    return types.includes('decimal') ? 'decimal' : types.includes('double') ? 'double' : 'int';
  }
  const [first] = types;
  const odd = types.findIndex((type) => type !== first);
  if (first !== undefined && odd === -1 && first !== 'map') return first;
  const node = nodes[Math.max(odd, 0)];
  const message = `the items of a list are of one type: ${aType(first ?? 'string')} first, then ${aType(types[Math.max(odd, 0)] ?? 'map')}`;
  if (node !== undefined) context.report({ start: node.start, end: node.end, message });
  return undefined;
}

/** The list with its numbers as decimals, for a decimal to be looked up in it. */
export function decimalList(list: CompiledList, node: Expression, context: Context): CompiledList | undefined {
  if (list.type === 'decimal') return list;
  const items = list.items.map((item) => exactly(node, item, context)).filter((item) => item !== undefined);
  return items.length < list.items.length ? undefined : listOf('decimal', items);
}

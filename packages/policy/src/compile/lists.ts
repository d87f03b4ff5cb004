import type { Expression, ListNode, PathNode } from '../expression/node.ts';
import { pathText } from '../expression/node.ts';
import { itemLengthMax, itemValue, partsOfItem } from '../facts/item-text.ts';
import { nearest } from '../check/nearest.ts';
import { exactly } from './arithmetic.ts';
import type { Facts } from '../facts/fact-value.ts';
import type { LiveItems } from '../policy.ts';
import { combine, type Compiled, constant, type Context, type DeclaredList } from './compiled.ts';
import { coerced, widest } from './coerce.ts';
import { aType, joined, listType, type Type, typeOfFact } from './type.ts';
import type { Value } from './value.ts';

/** `[a, b]`. As a value it is missing if one of its items is. */
export function compileList(node: ListNode, context: Context): Compiled | undefined {
  const parts = node.items.map((item) => context.compile(item));
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  const type = commonItemType(node, known, context);
  const items = known.map((part, at) =>
    type === 'decimal' ? exactly(node.items[at] ?? node, part, context) : coerced(part, type),
  );
  const all = items.filter((item) => item !== undefined);
  return all.length < items.length ? undefined : listOf(type, all);
}

/** A list of items that all have one type. */
export function listOf(type: Type, items: readonly Compiled[]): Compiled {
  const runs = items.map((item) => item.run);
  const list = combine(listType(type), items, {
    run: (facts) => {
      const values = runs.map((run) => run(facts));
      return values.includes(undefined) ? undefined : values;
    },
    cost: 1 + items.length,
    size: items.reduce((sum, item) => sum + 1 + item.size, 0),
  });
  return list.constant ? { ...list, items, known: new Set(items.map((item) => item.run([]))) } : { ...list, items };
}

/**
 * The type of all items: the same, or the widest number type. Items of different types are allowed, but seldom
 * intended.
 */
function commonItemType({ items: nodes }: ListNode, items: readonly Compiled[], context: Context): Type {
  const types = items.map((item) => item.type);
  const [first = 'none', ...others] = types;
  const numbers = others.reduce<Type | undefined>((wide, type) => wide && widest(wide, type), widest(first, first));
  if (numbers !== undefined) return numbers;
  const type = types.reduce<Type>((common, one) => joined(common, one), 'none');
  const odd = types.findIndex((one) => joined(first, one) === 'dyn');
  const node = nodes[odd];
  if (type === 'dyn' && node !== undefined && !types.includes('dyn')) {
    const message = `the items of a list usually have one type, but here ${aType(first)} is followed by ${aType(types[odd] ?? 'none')}`;
    context.report({ start: node.start, end: node.end, message, severity: 'warning' });
  }
  return type;
}

/** `lists.name` */
export function declaredList(node: PathNode, context: Context): Compiled | undefined {
  const name = node.parts
    .slice(1)
    .map((part) => part.name)
    .join('.');
  const list = context.vocabulary.list(name);
  if (list !== undefined) return listValue(list);
  if (context.vocabulary.broken(name)) return undefined;
  const meant = nearest(name, context.vocabulary.listNames());
  const suggestion = meant === undefined ? 'a list that is declared under lists:' : `lists.${meant}`;
  context.report({ start: node.start, end: node.end, message: `there is no list ${pathText(node)}`, suggestion });
  return undefined;
}

function listValue(list: DeclaredList): Compiled {
  const isPair = list.of.length > 1;
  const type = isPair ? listType(listType('string')) : listType(typeOfFact(list.type));
  const values: readonly Value[] = isPair
    ? [...list.items].map((text) => partsOfItem(text as string))
    : [...list.items];
  if (list.live !== undefined) return liveValue(list, { ...list.live, type, values });
  const known = constant(type, values, { size: isPair ? 3 * values.length : values.length });
  if (isPair) return { ...known, declared: list };
  return { ...known, known: list.items, ...(list.networks === undefined ? {} : { networks: list.networks }) };
}

/** A live list as a value: the items of the files and the current ones, at most as many as it may have. */
function liveValue(
  list: DeclaredList,
  of: { readonly slot: number; readonly max: number; readonly type: Type; readonly values: readonly Value[] },
): Compiled {
  const { slot, max, type, values } = of;
  const valueOf = (text: string): Value => (list.of.length > 1 ? partsOfItem(text) : itemValue(list.type, text));
  return {
    type,
    run: (facts) => [...values, ...(liveItems(facts, slot)?.texts() ?? []).slice(0, max).map(valueOf)],
    constant: false,
    declared: list,
    size: (values.length + max) * list.of.length,
    length: itemLengthMax,
    reads: [],
    needs: [],
    cost: 5 * (values.length + max),
  };
}

/** The content of a live list's slot. */
export function liveItems(facts: Facts, slot: number): LiveItems | undefined {
  return facts[slot] as LiveItems | undefined;
}

/** The list with its numbers converted to decimals, to look a decimal up in it. */
export function decimalList(list: Compiled, node: Expression, context: Context): Compiled | undefined {
  const values = list.constant ? (list.run([]) as readonly Value[]) : [];
  const items = list.items ?? values.map((value) => constant(list.type === 'list<double>' ? 'double' : 'int', value));
  const decimals = items.map((item) => exactly(node, item, context)).filter((item) => item !== undefined);
  return decimals.length < items.length ? undefined : listOf('decimal', decimals);
}

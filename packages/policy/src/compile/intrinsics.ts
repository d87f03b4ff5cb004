import { type CallNode, type Expression, pathText } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import { alwaysThere } from '../facts/facts.ts';
import { combine, type Compiled, type Context } from './compiled.ts';
import { alike } from './comparison.ts';
import type { FormDefinition } from './functions/definition.ts';
import { coerced } from './coerce.ts';
import { isList, isMap, type Type } from './type.ts';
import { Dynamic, type Value } from './value.ts';

/** Forms that test an expression itself: whether it is present, and its type. */
export const forms: readonly FormDefinition[] = [
  {
    kind: 'form',
    name: 'has',
    group: 'absence',
    isMethod: false,
    signature: 'has(fact): bool',
    doc: 'Whether the fact, feature or member is present. Never missing itself.',
    example: 'has(order.currency)',
    compile: has,
  },
  {
    kind: 'form',
    name: 'orValue',
    group: 'absence',
    isMethod: true,
    signature: 'any.orValue(same type): same type',
    doc: 'The value, or the other one if it is missing.',
    example: 'session.closedFor.orValue(0s) > 10m',
    compile: orValue,
  },
  {
    kind: 'form',
    name: 'dyn',
    group: 'conversion',
    isMethod: false,
    signature: 'dyn(any): dyn',
    doc: 'The same value, with its type checked only when the condition runs; a value that does not fit is missing then.',
    example: 'dyn(order.currency) == 5',
    compile: (node, context) => {
      const part = argument(node, context);
      return part && coerced(part, 'dyn');
    },
  },
  {
    kind: 'form',
    name: 'type',
    group: 'conversion',
    isMethod: false,
    signature: 'type(any): type',
    doc: 'The type of a value, to compare with `int`, `string`, `list` and so on.',
    example: 'type(order.currency) == string',
    compile: (node, context) => {
      const part = argument(node, context);
      return part && combine('type', [part], { run: (facts) => nameOf(part.type, part.run(facts)) });
    },
  },
];

function has(node: CallNode, context: Context): Compiled | undefined {
  const [of] = node.args;
  const isMember = of?.kind === 'path' || of?.kind === 'index' || of?.kind === 'select';
  if (node.receiver !== undefined || node.args.length !== 1 || of === undefined || !isMember) {
    const suggestion =
      of === undefined ? 'has(order.currency)' : 'has(order.currency), has(transaction.details["key"])';
    const message = 'has needs exactly one fact, feature or member';
    context.report({ start: node.start, end: node.end, message, suggestion });
    return undefined;
  }
  const part = context.compile(of);
  if (part === undefined) return undefined;
  warnOfPresent(node, of, { context, suggestion: 'remove it' });
  const { run } = part;
  return { ...combine('bool', [part], { run: (facts) => run(facts) !== undefined }), needs: [] };
}

/** `has(event.kind)` tests a fact that every event has. */
function warnOfPresent(
  node: CallNode,
  of: Expression,
  { context, suggestion }: { readonly context: Context; readonly suggestion: string },
): void {
  const path = of.kind === 'path' ? pathText(of) : '';
  if (!alwaysThere.has(path)) return;
  const message = `every event has ${path}`;
  context.report({ start: node.start, end: node.end, message, suggestion, severity: 'warning' });
}

function orValue(node: CallNode, context: Context): Compiled | undefined {
  const [fallback] = node.args;
  if (node.receiver === undefined || node.args.length !== 1 || fallback === undefined) {
    context.report({
      ...node.nameSpan,
      message: 'orValue needs one value, which replaces a missing one',
      suggestion: 'x.orValue(0)',
    });
    return undefined;
  }
  warnOfPresent(node, node.receiver, { context, suggestion: printExpression(node.receiver) });
  const pair = { start: node.start, end: node.end, left: node.receiver, right: fallback };
  const sides = alike(pair, [context.compile(node.receiver), context.compile(fallback)], context);
  if (sides === undefined) return undefined;
  const [value, other] = sides;
  const [run, runOther] = [value.run, other.run];
  const size = Math.max(value.size, other.size);
  const made = combine(value.type, sides, {
    run: (facts) => {
      const given = run(facts);
      return given === undefined ? runOther(facts) : given;
    },
    size,
  });
  return { ...made, needs: other.needs };
}

/** The one argument of a form that accepts any value. */
function argument(node: CallNode, context: Context): Compiled | undefined {
  const [of] = node.args;
  if (node.receiver === undefined && node.args.length === 1 && of !== undefined) return context.compile(of);
  context.report({ ...node.nameSpan, message: `${node.name} takes one value`, suggestion: `${node.name}(x)` });
  return undefined;
}

const protobufNames: Partial<Record<Type, string>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  null: 'null_type',
};

/** The name of a value's type, as CEL calls it. */
function nameOf(type: Type, value: Value): string | undefined {
  if (value instanceof Dynamic) return nameOf(value.type, value.value);
  if (value === undefined) return undefined;
  return isList(type) ? 'list' : isMap(type) ? 'map' : (protobufNames[type] ?? type);
}

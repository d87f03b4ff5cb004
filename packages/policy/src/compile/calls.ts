import type { CallNode, Expression } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import { nearest } from '../nearest.ts';
import type { FactType, FactValue } from '../policy.ts';
import { aType, combine, type Compiled, type Context, type Run } from './compiled.ts';
import { compileForm, formNames } from './forms.ts';
import { type FunctionDefinition, functionDefinitions } from './functions.ts';

/** A function, a method, or one of the forms that look at their arguments before they are values. */
export function compileCall(node: CallNode, context: Context): Compiled | undefined {
  if (formNames.has(node.name)) return compileForm(node, context);
  const named = functionDefinitions.filter((definition) => definition.name === node.name);
  if (named.length === 0) return refuseUnknown(node, context);
  const nodes = node.receiver === undefined ? node.args : [node.receiver, ...node.args];
  const compiled = nodes.map((part) => context.compile(part));
  const parts = compiled.filter((part) => part !== undefined);
  if (parts.length < compiled.length) return undefined;
  const definition = named.find((candidate) => fits(candidate, node, parts));
  if (definition === undefined) return refuseTypes(node, parts, context);
  if (definition.prepare !== undefined)
    return compilePrepared({ ...definition, prepare: definition.prepare }, parts, [node, nodes, context]);
  return combine(definition.result, parts, { run: call(definition.apply, parts), cost: definition.cost });
}

function fits(definition: FunctionDefinition, node: CallNode, parts: readonly Compiled[]): boolean {
  const method = definition.receiver !== undefined;
  const types = definition.receiver === undefined ? definition.params : [definition.receiver, ...definition.params];
  return (
    method === (node.receiver !== undefined) &&
    types.length === parts.length &&
    types.every((type, at) => type === parts[at]?.type)
  );
}

/** With a literal as its last argument, looked at now. */
function compilePrepared(
  definition: FunctionDefinition & Required<Pick<FunctionDefinition, 'prepare'>>,
  parts: readonly Compiled[],
  [node, nodes, context]: readonly [CallNode, readonly Expression[], Context],
): Compiled | undefined {
  const literalNode = nodes.at(-1) ?? node;
  const literal = parts.at(-1);
  const value = literal?.constant === true ? literal.run([]) : undefined;
  if (typeof value !== 'string') {
    const message = `${node.name} takes a literal here`;
    context.report({
      start: literalNode.start,
      end: literalNode.end,
      message,
      suggestion: `a text in quotes: ${definition.example}`,
    });
    return undefined;
  }
  const prepared = definition.prepare(value);
  if ('wrong' in prepared) {
    context.report({
      start: literalNode.start,
      end: literalNode.end,
      message: prepared.wrong,
      suggestion: prepared.suggestion,
    });
    return undefined;
  }
  const rest = parts.slice(0, -1);
  return combine(definition.result, rest, { run: call(prepared.apply, rest), cost: prepared.cost });
}

/** Calls with all values, or is missing when one of them is. */
function call(apply: (...values: never[]) => FactValue, parts: readonly Compiled[]): Run {
  const [first, second] = parts.map((part) => part.run);
  const call = apply as (...values: FactValue[]) => FactValue;
  if (first === undefined) return () => call();
  if (second === undefined) {
    return (facts) => {
      const value = first(facts);
      return value === undefined ? undefined : call(value);
    };
  }
  return (facts) => {
    const a = first(facts);
    const b = a === undefined ? undefined : second(facts);
    return b === undefined ? undefined : call(a, b);
  };
}

function refuseUnknown(node: CallNode, context: Context): undefined {
  const meant = nearest(node.name, [...functionDefinitions.map((definition) => definition.name), ...formNames]);
  const elsewhere = fromElsewhere[node.name];
  const suggestion = elsewhere ?? (meant === undefined ? undefined : `${meant}(…)`);
  context.report({ start: node.start, end: node.end, message: `there is no function ${node.name}`, suggestion });
  return undefined;
}

/** Functions of CEL and of other rule languages that people look for here. */
const fromElsewhere: Readonly<Record<string, string>> = {
  map: 'exists, all or exists_one: a condition makes no lists',
  filter: 'exists, all or exists_one: a condition makes no lists',
  toLowerCase: 'lowerAscii()',
  lower: 'lowerAscii()',
  toUpperCase: 'upperAscii()',
  upper: 'upperAscii()',
  length: 'size()',
  includes: 'contains(…)',
  is_missing: '!has(…)',
  isMissing: '!has(…)',
  now: 'event.at',
  count: 'a feature that counts, declared under features:',
  sum: 'a feature that sums, declared under features:',
  distinct: 'a feature that counts distinct values, declared under features:',
  dyn: 'the value itself: types are known',
  type: 'the value itself: types are known',
  string: 'the value itself: messages print every type',
};

function refuseTypes(node: CallNode, parts: readonly Compiled[], context: Context): undefined {
  const known = functionDefinitions.filter((definition) => definition.name === node.name);
  const types = parts.map((part) => aType(part.type));
  const given =
    node.receiver === undefined ? types.join(', ') : `${types.slice(1).join(', ') || 'nothing'} on ${types[0] ?? ''}`;
  const message = `${node.name} does not take ${given === '' ? 'nothing' : given}: ${printExpression(node)}`;
  context.report({
    start: node.start,
    end: node.end,
    message,
    suggestion: known.map((definition) => signature(definition)).join(' or '),
  });
  return undefined;
}

/** `string.contains(string): bool` */
export function signature(definition: {
  readonly name: string;
  readonly receiver: FactType | undefined;
  readonly params: readonly FactType[];
  readonly result: FactType;
}): string {
  const receiver = definition.receiver === undefined ? '' : `${definition.receiver}.`;
  return `${receiver}${definition.name}(${definition.params.join(', ')}): ${definition.result}`;
}

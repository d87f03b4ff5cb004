import type { CallNode, Expression } from '../expression/node.ts';
import { pathText } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import type { FactValue, Predicate } from '../policy.ts';
import { combine, type Compiled, type Context } from './compiled.ts';
import { comparable } from './comparison.ts';
import { type CompiledList, compileList } from './lists.ts';
import { compileCondition, predicate } from './logic.ts';

/** A form that looks at its arguments themselves, not at their values. For the reference page. */
export interface FormDefinition {
  readonly signature: string;
  readonly doc: string;
  readonly example: string;
}

/** Forms of conditions. The reference page is generated from it. */
export const formDefinitions: readonly FormDefinition[] = [
  {
    signature: 'has(fact): bool',
    doc: 'Whether the fact, feature or member is there. Never missing itself.',
    example: 'has(order.currency)',
  },
  {
    signature: 'any.orValue(same type): same type',
    doc: 'The value, or the other one where it is missing.',
    example: 'session.closedFor.orValue(0s) > 10m',
  },
  {
    signature: 'list.exists(x, bool): bool',
    doc: 'Whether the condition holds for any item of a literal or declared list.',
    example: 'lists.words.exists(word, transaction.description.contains(word))',
  },
  {
    signature: 'list.all(x, bool): bool',
    doc: 'Whether the condition holds for every item.',
    example: '["a", "b"].all(x, x != transaction.type)',
  },
  {
    signature: 'list.exists_one(x, bool): bool',
    doc: 'Whether the condition holds for exactly one item.',
    example: '["a", "b"].exists_one(x, x == transaction.type)',
  },
];

const quantifiers: ReadonlySet<string> = new Set(['exists', 'all', 'exists_one']);

export const formNames: ReadonlySet<string> = new Set(['has', 'orValue', ...quantifiers]);

export function compileForm(node: CallNode, context: Context): Compiled | undefined {
  if (node.name === 'has') return compileHas(node, context);
  return node.name === 'orValue' ? compileOrValue(node, context) : compileQuantifier(node, context);
}

function compileHas(node: CallNode, context: Context): Compiled | undefined {
  const [of] = node.args;
  if (
    node.receiver !== undefined ||
    node.args.length !== 1 ||
    of === undefined ||
    (of.kind !== 'path' && of.kind !== 'index')
  ) {
    const suggestion =
      of === undefined ? 'has(order.currency)' : 'has(order.currency), has(transaction.details["key"])';
    context.report({
      start: node.start,
      end: node.end,
      message: 'has asks about one fact, feature or member',
      suggestion,
    });
    return undefined;
  }
  const part = context.compile(of);
  if (part === undefined) return undefined;
  const { run } = part;
  return { ...combine('bool', [part], { run: (facts) => run(facts) !== undefined }), needs: [] };
}

function compileOrValue(node: CallNode, context: Context): Compiled | undefined {
  const [fallback] = node.args;
  if (node.receiver === undefined || node.args.length !== 1 || fallback === undefined) {
    context.report({
      start: node.start,
      end: node.end,
      message: 'orValue gives one value in place of a missing one',
      suggestion: 'x.orValue(0)',
    });
    return undefined;
  }
  const pair = { start: node.start, end: node.end, left: node.receiver, right: fallback };
  const sides = comparable(pair, [context.compile(node.receiver), context.compile(fallback)], context);
  if (sides === undefined) return undefined;
  const [value, other] = sides;
  const [run, runOther] = [value.run, other.run];
  const type = value.type === 'int' && other.type === 'double' ? 'double' : value.type;
  const combined = combine(type, sides, { run: (facts) => run(facts) ?? runOther(facts) });
  return { ...combined, needs: other.needs };
}

/** Steps of about 10 ns that one condition may take: 100 µs, so that hundreds of hostile ones still pass in a breath. */
export const costMax = 10_000;

function compileQuantifier(node: CallNode, context: Context): Compiled | undefined {
  const [bound, body] = node.args;
  if (node.receiver === undefined || node.args.length !== 2 || bound === undefined || body === undefined) {
    context.report({
      start: node.start,
      end: node.end,
      message: `${node.name} takes a name and a condition`,
      suggestion: `["a", "b"].${node.name}(x, x == transaction.type)`,
    });
    return undefined;
  }
  const list = compileList(node.receiver, context);
  if (list === undefined) return undefined;
  const cell = new Cell(list);
  const name = boundName(bound, context);
  if (name === undefined) return undefined;
  const condition = compileCondition(body, context.bind(name, cell.compiled));
  if (condition === undefined) return undefined;
  const run = quantify(node.name, predicate(condition), [cell, list]);
  const cost = list.items.length * (condition.cost + 1);
  if (cost > costMax) {
    const message = `${node.name} over ${list.items.length} items takes too long`;
    context.report({ start: node.start, end: node.end, message, suggestion: 'a shorter list, or x in lists.name' });
    return undefined;
  }
  return combine('bool', [condition, ...list.items], { run, cost });
}

function boundName(node: Expression, context: Context): string | undefined {
  const name = node.kind === 'path' ? pathText(node) : '';
  if (node.kind === 'path' && node.parts.length === 1 && context.vocabulary.find(name) === undefined) return name;
  const message = name === '' ? 'a name is expected here' : `${printExpression(node)} means something already`;
  context.report({ start: node.start, end: node.end, message, suggestion: 'a new name, such as x' });
  return undefined;
}

/** Holds the item that a quantifier looks at. A condition runs to its end before anything else does, so one cell is enough. */
class Cell {
  value: FactValue;
  readonly compiled: Compiled;

  constructor(list: CompiledList) {
    this.compiled = { type: list.type, run: () => this.value, constant: false, reads: [], needs: [], cost: 1 };
  }
}

function quantify(name: string, holds: Predicate, [cell, list]: readonly [Cell, CompiledList]): Predicate {
  const items = list.items.map((item) => item.run);
  return (facts) => {
    let [trues, missing] = [0, 0];
    for (const item of items) {
      cell.value = item(facts);
      const outcome = holds(facts);
      if (outcome === true) trues++;
      else if (outcome === undefined) missing++;
      if (name === 'exists' && outcome === true) return true;
      if (name === 'all' && outcome === false) return false;
    }
    if (missing > 0) return undefined;
    return name === 'exists' ? false : name === 'all' || trues === 1;
  };
}

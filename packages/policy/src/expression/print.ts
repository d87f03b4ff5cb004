import { unreachable } from '@ringfence/contract';
import { formatDuration } from '../values/duration.ts';
import type { Expression } from './node.ts';

/** Operator precedence: a looser part inside a tighter one needs parentheses. */
const binding = {
  choice: 0,
  '||': 1,
  '&&': 2,
  equality: 3,
  relation: 4,
  sum: 5,
  product: 6,
  unary: 7,
  primary: 8,
} as const;

/**
 * The expression's canonical text: equal texts mean the same. Spaces, parentheses and quotes are made uniform, and
 * parsing the text gives the same expression.
 */
export function printExpression(node: Expression): string {
  switch (node.kind) {
    case 'number':
      return node.text;
    case 'string':
      return JSON.stringify(node.value);
    case 'bool':
      return String(node.value);
    case 'null':
      return 'null';
    case 'duration':
      return formatDuration(node.ms);
    case 'bytes':
      return `b"${[...node.value].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;
    case 'path':
      return node.parts.map(({ name }) => printName(name)).join('.');
    case 'select':
      return `${within(node.of, binding.primary)}.${printName(node.name.name)}`;
    case 'index':
      return `${within(node.of, binding.primary)}[${printExpression(node.key)}]`;
    case 'list':
      return `[${printAll(node.items)}]`;
    case 'map':
      return `{${node.entries.map(({ key, value }) => `${printExpression(key)}: ${printExpression(value)}`).join(', ')}}`;
    case 'call': {
      const call = `${node.name}(${printAll(node.args)})`;
      return node.receiver === undefined ? call : `${within(node.receiver, binding.primary)}.${call}`;
    }
    case 'not':
      return `!${within(node.of, binding.unary)}`;
    case 'negate':
      return `-${within(node.of, binding.primary)}`;
    case 'choice': {
      const condition = within(node.condition, binding['||']);
      return `${condition} ? ${within(node.yes, binding['||'])} : ${printExpression(node.no)}`;
    }
    case 'compare':
    case 'arithmetic':
    case 'logic':
    case 'in': {
      const tightness = tightnessOf(node);
      // All operators are left-associative, so a right operand of the same precedence needs parentheses.
      return `${within(node.left, tightness)} ${node.operator} ${within(node.right, tightness + 1)}`;
    }
    default:
      return unreachable(node);
  }
}

function printName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``;
}

function printAll(nodes: readonly Expression[]): string {
  return nodes.map((node) => printExpression(node)).join(', ');
}

function within(node: Expression, tightness: number): string {
  const text = printExpression(node);
  return tightnessOf(node) < tightness ? `(${text})` : text;
}

function tightnessOf(node: Expression): number {
  switch (node.kind) {
    case 'choice':
      return binding.choice;
    case 'logic':
      return binding[node.operator];
    case 'compare':
      return node.operator === '==' || node.operator === '!=' ? binding.equality : binding.relation;
    case 'in':
      return binding.relation;
    case 'arithmetic':
      return node.operator === '+' || node.operator === '-' ? binding.sum : binding.product;
    case 'not':
    case 'negate':
      return binding.unary;
    case 'number':
    case 'string':
    case 'bool':
    case 'null':
    case 'duration':
    case 'bytes':
    case 'path':
    case 'index':
    case 'select':
    case 'list':
    case 'map':
    case 'call':
      return binding.primary;
    default:
      return unreachable(node);
  }
}

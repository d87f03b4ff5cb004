import { type Decimal, decimalOne, divideDecimal, multiplyDecimal } from '@ringfence/contract';
import type { Arithmetic, BinaryNode, Expression } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import type { FactType, FactValue } from '../policy.ts';
import { aType, combine, type Compiled, type Context, type Run } from './compiled.ts';
import { isTimestamp } from '../timestamp.ts';
import { asDecimal, isNumeric } from './numbers.ts';

type ArithmeticNode = BinaryNode<Arithmetic>;

/** Beyond 36 digits before the point no amount makes sense; products stay bounded by it. */
const decimalMax = decimalOne * 10n ** 36n;

/**
 * `+ - * / %`. Whole numbers stay whole (division drops the rest, as in CEL), whole numbers with doubles give
 * doubles, and any number with a decimal gives a decimal. What has no value is missing: a division by zero, a result
 * out of range.
 */
export function compileArithmetic(node: ArithmeticNode, context: Context): Compiled | undefined {
  const left = context.compile(node.left);
  const right = context.compile(node.right);
  if (left === undefined || right === undefined) return undefined;
  if (isNumeric(left.type) && isNumeric(right.type)) return numeric(node, [left, right], context);
  const operation = others.find(
    (row) => row.operator === node.operator && row.left === left.type && row.right === right.type,
  );
  if (operation !== undefined)
    return combine(operation.result, [left, right], { run: both(left.run, right.run, operation.apply) });
  const message = `${node.operator} does not work on ${aType(left.type)} and ${aType(right.type)}`;
  context.report({ start: node.start, end: node.end, message, suggestion: hintFor(node, left, right) });
  return undefined;
}

/** Calls `apply` when both values are there. */
function both(left: Run, right: Run, apply: (left: never, right: never) => FactValue): Run {
  const call = apply as (left: FactValue, right: FactValue) => FactValue;
  return (facts) => {
    const a = left(facts);
    if (a === undefined) return undefined;
    const b = right(facts);
    return b === undefined ? undefined : call(a, b);
  };
}

interface Operation {
  readonly operator: Arithmetic;
  readonly left: FactType;
  readonly right: FactType;
  readonly result: FactType;
  readonly apply: (left: never, right: never) => FactValue;
}

const add = (a: number, b: number): FactValue => safe(a + b);
const subtract = (a: number, b: number): FactValue => safe(a - b);
const multiply = (a: number, b: number): FactValue => safe(a * b);

const later = (a: number, b: number): FactValue => instant(a + b);
const earlier = (a: number, b: number): FactValue => instant(a - b);

function instant(atMs: number): number | undefined {
  return isTimestamp(atMs) ? atMs : undefined;
}

/** Times, spans and text. */
const others: readonly Operation[] = [
  { operator: '+', left: 'string', right: 'string', result: 'string', apply: (a: string, b: string) => a + b },
  { operator: '-', left: 'timestamp', right: 'timestamp', result: 'duration', apply: subtract },
  { operator: '+', left: 'timestamp', right: 'duration', result: 'timestamp', apply: later },
  { operator: '-', left: 'timestamp', right: 'duration', result: 'timestamp', apply: earlier },
  { operator: '+', left: 'duration', right: 'timestamp', result: 'timestamp', apply: later },
  { operator: '+', left: 'duration', right: 'duration', result: 'duration', apply: add },
  { operator: '-', left: 'duration', right: 'duration', result: 'duration', apply: subtract },
  { operator: '*', left: 'duration', right: 'int', result: 'duration', apply: multiply },
  { operator: '*', left: 'int', right: 'duration', result: 'duration', apply: multiply },
];

function numeric(node: ArithmeticNode, parts: readonly [Compiled, Compiled], context: Context): Compiled | undefined {
  const [left, right] = parts;
  if (left.type === 'decimal' || right.type === 'decimal') return decimal(node, parts, context);
  const type = left.type === 'int' && right.type === 'int' ? 'int' : 'double';
  const apply = (type === 'int' ? ints : doubles)[node.operator];
  if (apply === undefined) {
    const message = '% works on whole numbers and decimals, not on doubles';
    context.report({ start: node.start, end: node.end, message, suggestion: 'int(x) % 10' });
    return undefined;
  }
  if (type === 'int' && node.operator === '/') warnOfWholeDivision(node, right, context);
  return combine(type, parts, { run: both(left.run, right.run, apply) });
}

function warnOfWholeDivision(node: ArithmeticNode, right: Compiled, context: Context): void {
  const message = 'a whole number divided by a whole number drops the rest: 3 / 2 is 1';
  const suggestion = right.constant
    ? `${printExpression(node.left)} / ${printExpression(node.right)}.0`
    : `1.0 * ${printExpression(node.left)} / ${printExpression(node.right)}`;
  context.report({ start: node.start, end: node.end, message, suggestion, severity: 'warning' });
}

function safe(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

type OnNumbers = (left: number, right: number) => FactValue;

const ints: Readonly<Record<Arithmetic, OnNumbers>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': (a, b) => (b === 0 ? undefined : Math.trunc(a / b)),
  '%': (a, b) => (b === 0 ? undefined : a % b),
};

const doubles: Readonly<Record<Arithmetic, OnNumbers | undefined>> = {
  '+': (a, b) => finite(a + b),
  '-': (a, b) => finite(a - b),
  '*': (a, b) => finite(a * b),
  '/': (a, b) => (b === 0 ? undefined : finite(a / b)),
  '%': undefined,
};

const decimals: Readonly<Record<Arithmetic, (left: Decimal, right: Decimal) => FactValue>> = {
  '+': (a, b) => bounded(a + b),
  '-': (a, b) => bounded(a - b),
  '*': (a, b) => bounded(multiplyDecimal(a, b)),
  '/': (a, b) => divideDecimal(a, b),
  '%': (a, b) => (b === 0n ? undefined : ((a % b) as Decimal)),
};

function bounded(value: bigint): Decimal | undefined {
  return value > decimalMax || value < -decimalMax ? undefined : (value as Decimal);
}

function decimal(node: ArithmeticNode, parts: readonly [Compiled, Compiled], context: Context): Compiled | undefined {
  const whole = wholeFactor(node, parts);
  if (whole !== undefined) return whole;
  const left = exactly(node.left, parts[0], context);
  const right = exactly(node.right, parts[1], context);
  if (left === undefined || right === undefined) return undefined;
  return combine('decimal', [left, right], { run: both(left.run, right.run, decimals[node.operator]), cost: 20 });
}

/** `3 * amount`: a product with a whole number needs no rounding, and is the commonest arithmetic of all. */
function wholeFactor(node: ArithmeticNode, [left, right]: readonly [Compiled, Compiled]): Compiled | undefined {
  if (node.operator !== '*') return undefined;
  const [factor, other] = left.constant ? [left, right] : [right, left];
  const value = factor.run([]);
  if (!factor.constant || factor.type !== 'int' || typeof value !== 'number') return undefined;
  const times = BigInt(value);
  const { run } = other;
  return combine('decimal', [left, right], {
    run: (facts) => {
      const amount = run(facts);
      return typeof amount === 'bigint' ? bounded(amount * times) : undefined;
    },
    cost: 10,
  });
}

/** A number beside a decimal, as a decimal. Reports a literal that can't be one. */
export function exactly(node: Expression, part: Compiled, context: Context): Compiled | undefined {
  const decimal = asDecimal(part);
  if (decimal === undefined) {
    const message = `${printExpression(node)} does not fit a decimal`;
    context.report({
      start: node.start,
      end: node.end,
      message,
      suggestion: 'at most 18 digits before the point and 12 after it',
    });
  }
  return decimal;
}

function hintFor(node: ArithmeticNode, left: Compiled, right: Compiled): string | undefined {
  if (left.type === 'duration' || right.type === 'duration') return 'a duration such as 15m, 2h or 7d';
  const text = left.type === 'string' ? node.left : right.type === 'string' ? node.right : undefined;
  if (text === undefined) return undefined;
  return text.kind === 'string'
    ? 'a number without quotes'
    : `decimal(${printExpression(text)}) for a text that holds a number`;
}

/** `-x`. */
export function compileNegation(
  node: Expression & { readonly kind: 'negate' },
  context: Context,
): Compiled | undefined {
  const part = context.compile(node.of);
  if (part === undefined) return undefined;
  if (!isNumeric(part.type) && part.type !== 'duration') {
    context.report({
      start: node.start,
      end: node.end,
      message: `- does not work on ${aType(part.type)}`,
      suggestion: 'a number',
    });
    return undefined;
  }
  const { run } = part;
  const negated = combine(part.type, [part], {
    run: (facts) => {
      const value = run(facts);
      if (typeof value === 'number') return value === 0 ? 0 : -value;
      return typeof value === 'bigint' ? minus(value) : undefined;
    },
  });
  return part.digits === undefined ? negated : { ...negated, digits: `-${part.digits}` };
}

function minus(value: bigint): Decimal {
  return -value as Decimal;
}

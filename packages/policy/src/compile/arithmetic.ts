import { type Decimal, decimalOne, divideDecimal, multiplyDecimal } from '@ringfence/contract';
import type { Arithmetic, Expression } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import { spanMsMax } from '../values/duration.ts';
import { isTimestamp } from '../values/timestamp.ts';
import { copyCost, textLengthMax, workedLength } from './bounds.ts';
import { combine, type Compiled, type Context, type Run, silent } from './compiled.ts';
import { type Integer, intOperations, intRange, integer, uintOperations } from '../values/integers.ts';
import { isDynamic, dispatch } from './dynamic-dispatch.ts';
import { asDecimal } from './numbers.ts';
import { coerced } from './coerce.ts';
import { aType, isList, isNumeric, isOpen, joined, type Type } from './type.ts';
import type { Value } from './value.ts';

type ArithmeticNode = Expression & { readonly kind: 'arithmetic' };
type Pair = readonly [Compiled, Compiled];

/**
 * No amount has more than 36 digits before the point. This bounds the result of every operator, so that the cost of a
 * chain of them does not grow with its length.
 */
const decimalMax = decimalOne * 10n ** 36n;

/**
 * `+ - * / %`. Two whole numbers give a whole number (division drops the remainder, as in CEL), a whole number and a
 * double give a double, and any number with a decimal gives a decimal. The result is missing if it has no value: a
 * division by zero, a number out of range, a text that is too long.
 */
export function compileArithmetic(node: ArithmeticNode, context: Context): Compiled | undefined {
  const left = context.compile(node.left);
  const right = context.compile(node.right);
  return left === undefined || right === undefined ? undefined : arithmetic(node, [left, right], context);
}

function arithmetic(node: ArithmeticNode, parts: Pair, context: Context): Compiled | undefined {
  const [left, right] = parts;
  if (['/', '%'].includes(node.operator) && isZero(right)) {
    const message = `a division by ${printExpression(node.right)} is always missing`;
    context.report({ start: node.start, end: node.end, message, suggestion: 'another divisor', severity: 'warning' });
  }
  if (node.operator === '*' && parts.some((part) => isZero(part))) {
    const message = `${printExpression(node)} is always 0`;
    context.report({ start: node.start, end: node.end, message, suggestion: 'another factor', severity: 'warning' });
  }
  if (isDynamic(parts))
    return dispatch(parts, { result: 'dyn' }, ([a, b]) => a && b && arithmetic(node, [a, b], silent(context)));
  if (isNumeric(left.type) && isNumeric(right.type)) return numeric(node, parts, context);
  const operation = others.find(
    (row) => row.operator === node.operator && row.left === left.type && row.right === right.type,
  );
  if (operation !== undefined) {
    const { result, apply, cost = 1 } = operation;
    const run = both(left.run, right.run, apply);
    return result === 'string' || result === 'bytes'
      ? built(result, parts, { run, cost })
      : combine(result, parts, { run, cost });
  }
  if (node.operator === '+' && isList(left.type) && isList(right.type)) return concatenation(parts);
  const message = `${node.operator} does not work on ${aType(left.type)} and ${aType(right.type)}`;
  context.report({ start: node.start, end: node.end, message, suggestion: hintFor(node, left, right) });
  return undefined;
}

function isZero({ constant, run }: Compiled): boolean {
  return constant && Number(run([])) === 0;
}

/** A text or bytes joined from two: JavaScript copies the result into one piece as soon as anything reads it. */
function built(type: Type, parts: Pair, { run, cost }: { readonly run: Run; readonly cost: number }): Compiled {
  const length = workedLength(parts[0].length + parts[1].length);
  return combine(type, parts, { run, cost: cost + copyCost(length), length, isBuilt: true, name: '+' });
}

/** For lists. */
function concatenation([left, right]: Pair): Compiled {
  const type = joined(left.type, right.type);
  const parts = [coerced(left, type), coerced(right, type)] as const;
  const size = left.size + right.size;
  const append = (a: readonly Value[], b: readonly Value[]): Value => [...a, ...b];
  return combine(type, parts, { run: both(parts[0].run, parts[1].run, append), cost: 3 + size, size });
}

/** Calls `apply` if both values are present. */
function both(left: Run, right: Run, apply: (left: never, right: never) => Value): Run {
  const call = apply as (left: Value, right: Value) => Value;
  return (facts) => {
    const a = left(facts);
    if (a === undefined) return undefined;
    const b = right(facts);
    return b === undefined ? undefined : call(a, b);
  };
}

interface Operation {
  readonly operator: Arithmetic;
  readonly left: Type;
  readonly right: Type;
  readonly result: Type;
  readonly apply: (left: never, right: never) => Value;
  readonly cost?: number;
}

const later = (a: number, b: number): Value => instant(a + b);
const earlier = (a: number, b: number): Value => instant(a - b);

function instant(atMs: number): number | undefined {
  return isTimestamp(atMs) ? atMs : undefined;
}

const longer = (a: number, b: number): Value => span(a + b);
const shorter = (a: number, b: number): Value => span(a - b);
const times = (a: Integer, b: Integer): Value => span(Number(a) * Number(b));

function span(ms: number): number | undefined {
  return ms <= spanMsMax && ms >= -spanMsMax ? ms : undefined;
}

/** Checked where texts are built, so that every function can rely on their maximum length. */
function texts(a: string, b: string): Value {
  return a.length + b.length > textLengthMax ? undefined : a + b;
}

function bytes(a: Uint8Array, b: Uint8Array): Value {
  if (a.length + b.length > textLengthMax) return undefined;
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

/** Times, spans, text and unsigned numbers, which combine only with their own type. */
const others: readonly Operation[] = [
  { operator: '+', left: 'string', right: 'string', result: 'string', apply: texts, cost: 4 },
  { operator: '+', left: 'bytes', right: 'bytes', result: 'bytes', apply: bytes, cost: 40 },
  { operator: '-', left: 'timestamp', right: 'timestamp', result: 'duration', apply: shorter },
  { operator: '+', left: 'timestamp', right: 'duration', result: 'timestamp', apply: later },
  { operator: '-', left: 'timestamp', right: 'duration', result: 'timestamp', apply: earlier },
  { operator: '+', left: 'duration', right: 'timestamp', result: 'timestamp', apply: later },
  { operator: '+', left: 'duration', right: 'duration', result: 'duration', apply: longer },
  { operator: '-', left: 'duration', right: 'duration', result: 'duration', apply: shorter },
  { operator: '*', left: 'duration', right: 'int', result: 'duration', apply: times },
  { operator: '*', left: 'int', right: 'duration', result: 'duration', apply: times },
  ...(['+', '-', '*', '/', '%'] as const).map((operator): Operation => ({
    operator,
    left: 'uint',
    right: 'uint',
    result: 'uint',
    apply: uintOperations[operator],
    cost: 3,
  })),
];

function numeric(node: ArithmeticNode, parts: Pair, context: Context): Compiled | undefined {
  const [left, right] = parts;
  if (left.type === 'decimal' || right.type === 'decimal') return decimal(node, parts, context);
  if (left.type === 'int' && right.type === 'int') {
    if (node.operator === '/') warnOfWholeDivision(node, right, context);
    return combine('int', parts, { run: both(left.run, right.run, intOperations[node.operator]) });
  }
  const apply = doubles[node.operator];
  if (apply === undefined) {
    const message = '% works on whole numbers and decimals, not on doubles';
    context.report({ start: node.start, end: node.end, message, suggestion: 'int(x) % 10' });
    return undefined;
  }
  return combine('double', parts, { run: both(left.run, right.run, apply) });
}

function warnOfWholeDivision(node: ArithmeticNode, right: Compiled, context: Context): void {
  const message = 'dividing two whole numbers drops the remainder: 3 / 2 is 1';
  const suggestion = right.constant
    ? `${printExpression(node.left)} / ${printExpression(node.right)}.0`
    : `1.0 * ${printExpression(node.left)} / ${printExpression(node.right)}`;
  context.report({ start: node.start, end: node.end, message, suggestion, severity: 'warning' });
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** A whole number combined with a double may be a bigint. */
type OnNumbers = (left: Integer, right: Integer) => Value;

const doubles: Readonly<Record<Arithmetic, OnNumbers | undefined>> = {
  '+': (a, b) => finite(Number(a) + Number(b)),
  '-': (a, b) => finite(Number(a) - Number(b)),
  '*': (a, b) => finite(Number(a) * Number(b)),
  '/': (a, b) => (b === 0 ? undefined : finite(Number(a) / Number(b))),
  '%': undefined,
};

const decimals: Readonly<Record<Arithmetic, (left: Decimal, right: Decimal) => Value>> = {
  '+': (a, b) => bounded(a + b),
  '-': (a, b) => bounded(a - b),
  '*': (a, b) => bounded(multiplyDecimal(a, b)),
  '/': (a, b) => bounded(divideDecimal(a, b)),
  '%': (a, b) => (b === 0n ? undefined : a % b),
};

function bounded(value: bigint | undefined): Decimal | undefined {
  return value === undefined || value > decimalMax || value < -decimalMax ? undefined : (value as Decimal);
}

function decimal(node: ArithmeticNode, parts: Pair, context: Context): Compiled | undefined {
  const whole = wholeFactor(node, parts);
  if (whole !== undefined) return whole;
  const left = exactly(node.left, parts[0], context);
  const right = exactly(node.right, parts[1], context);
  if (left === undefined || right === undefined) return undefined;
  return combine('decimal', [left, right], { run: both(left.run, right.run, decimals[node.operator]), cost: 20 });
}

/** `3 * amount`: a product with a whole number needs no rounding, and is the most common arithmetic. */
function wholeFactor(node: ArithmeticNode, [left, right]: Pair): Compiled | undefined {
  if (node.operator !== '*') return undefined;
  const [factor, other] = left.constant ? [left, right] : [right, left];
  if (!factor.constant || factor.type !== 'int') return undefined;
  const value = factor.run([]);
  if (typeof value !== 'number') return undefined;
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

/** A number combined with a decimal, as a decimal. Reports a literal that can't be one. */
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
    : `decimal(${printExpression(text)}) for a text that contains a number`;
}

/** `-x`. */
export function compileNegation(
  node: Expression & { readonly kind: 'negate' },
  context: Context,
): Compiled | undefined {
  const part = context.compile(node.of);
  return part && negation(node, part, context);
}

function negation(node: Expression, part: Compiled, context: Context): Compiled | undefined {
  if (isOpen(part.type))
    return dispatch([part], { result: 'dyn' }, ([typed]) => typed && negation(node, typed, silent(context)));
  if (!isNumeric(part.type) && part.type !== 'duration') {
    context.report({
      start: node.start,
      end: node.end,
      message: `- does not work on ${aType(part.type)}`,
      suggestion: 'a number',
    });
    return undefined;
  }
  const { run, type } = part;
  const negated = combine(type, [part], {
    run: (facts) => {
      const value = run(facts);
      if (typeof value === 'number') return value === 0 ? 0 : -value;
      if (typeof value !== 'bigint') return undefined;
      return type === 'int' ? integer(minus(value), intRange) : minus(value);
    },
  });
  return part.digits === undefined ? negated : { ...negated, digits: `-${part.digits}` };
}

function minus(value: bigint): bigint {
  return -value;
}

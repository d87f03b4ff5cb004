import type { Expression, Logic } from '../expression/node.ts';
import type { BinaryNode } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import type { Predicate } from '../facts/fact-value.ts';
import { combine, type Compiled, type Context } from './compiled.ts';
import { alike } from './comparison.ts';
import { demandsOfBoth, demandsOfEither } from './rule-index-keys.ts';
import { aType, isList, isMap, isOpen } from './type.ts';
import { Dynamic } from './value.ts';

/*
 * Three values: true, false and missing (Kleene's strong logic).
 *
 *   a && b   false if either is false, else missing if either is missing, else true
 *   a || b   true if either is true, else missing if either is missing, else false
 *   !a       missing if a is missing
 */

/** `a && b`, `a || b`. */
export function compileLogic(node: BinaryNode<Logic>, context: Context): Compiled | undefined {
  const left = compileCondition(node.left, context);
  const right = compileCondition(node.right, context);
  if (left === undefined || right === undefined) return undefined;
  const isBoth = node.operator === '&&';
  const made = combine('bool', [left, right], {
    run: isBoth ? and(predicate(left), predicate(right)) : or(predicate(left), predicate(right)),
  });
  const demands = isBoth ? demandsOfBoth(left, right) : demandsOfEither(left, right);
  return made.constant ? made : { ...made, logic: { operator: node.operator, parts: [left, right] }, demands };
}

/** A part that must be true or false. */
export function compileCondition(node: Expression, context: Context): Compiled | undefined {
  const part = context.compile(node);
  if (part === undefined || part.type === 'bool') return part;
  if (isOpen(part.type)) return asCondition(part);
  const text = printExpression(node);
  const suggestion = isList(part.type)
    ? `x in ${text}, or ${text}.exists(x, …)`
    : isMap(part.type)
      ? `"key" in ${text}`
      : `a comparison: ${text} == …, or has(${text})`;
  const message = `a condition must be true or false, but ${text} is ${aType(part.type)}`;
  context.report({ start: node.start, end: node.end, message, suggestion });
  return undefined;
}

/** A value of any type counts as missing in a condition if it is neither true nor false. */
function asCondition(part: Compiled): Compiled {
  const { run } = part;
  return combine('bool', [part], {
    run: (facts) => {
      const value = run(facts);
      const raw = value instanceof Dynamic ? value.value : value;
      return typeof raw === 'boolean' ? raw : undefined;
    },
  });
}

/** A checked condition returns only true, false or missing. */
export function predicate(part: Compiled): Predicate {
  return part.run as Predicate;
}

export function and(left: Predicate, right: Predicate): Predicate {
  return (facts) => {
    const a = left(facts);
    if (a === false) return false;
    const b = right(facts);
    return b === false ? false : a === undefined ? undefined : b;
  };
}

export function or(left: Predicate, right: Predicate): Predicate {
  return (facts) => {
    const a = left(facts);
    if (a === true) return true;
    const b = right(facts);
    return b === true ? true : a === undefined ? undefined : b;
  };
}

/** `!a` */
export function compileNot(node: Expression & { readonly kind: 'not' }, context: Context): Compiled | undefined {
  const part = compileCondition(node.of, context);
  if (part === undefined) return undefined;
  const made = combine('bool', [part], { run: not(predicate(part)) });
  return made.constant ? made : { ...made, logic: { operator: '!', parts: [part] } };
}

export function not(holds: Predicate): Predicate {
  return (facts) => {
    const value = holds(facts);
    return value === undefined ? undefined : !value;
  };
}

/** `c ? a : b`, with both branches of one type, or numbers. It is missing if the condition is. */
export function compileChoice(node: Expression & { readonly kind: 'choice' }, context: Context): Compiled | undefined {
  const condition = compileCondition(node.condition, context);
  const branches = { start: node.yes.start, end: node.no.end, left: node.yes, right: node.no };
  const sides = alike(branches, [context.compile(node.yes), context.compile(node.no)], context);
  if (condition === undefined || sides === undefined) return undefined;
  const [yes, no] = sides;
  const holds = predicate(condition);
  const [runYes, runNo] = [yes.run, no.run];
  return combine(yes.type, [condition, yes, no], {
    run: (facts) => {
      const value = holds(facts);
      return value === undefined ? undefined : value ? runYes(facts) : runNo(facts);
    },
    size: Math.max(yes.size, no.size),
  });
}

import { type Bounding, boundingOf, exclude, negated, ofWholes } from './bounded-values.ts';
import type { Compiler } from '../compile/compile.ts';
import { type CallNode, type Expression, type Logic, namesIn, partsOf, pathText } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import { factDefinition } from '../facts/facts.ts';
import { insteadOfText } from '../facts/text-shape.ts';
import type { Report } from '../check/mistake.ts';
import { nearest } from '../check/nearest.ts';

/** Functions that remove some letters from a text. */
const folding: ReadonlySet<string> = new Set(['lowerAscii', 'upperAscii', 'plain']);
/** Functions that search for one text in another. */
const searching: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith']);

type Text = Expression & { readonly kind: 'string' };

/**
 * Warns of parts of a condition that have the same result for every event: contradicting comparisons, and texts that
 * can never be equal. Only certain cases are reported; the condition has already been checked.
 */
export function warnOfSenseless(node: Expression, compiler: Compiler, report: Report): void {
  if (node.kind === 'logic') {
    const parts = chainOf(node, node.operator);
    warnOfChain(node.operator, parts, { compiler, report });
    for (const part of parts) warnOfSenseless(part, compiler, report);
    return;
  }
  if (node.kind === 'compare') warnOfItself(node, report);
  for (const [of, text] of textsBeside(node)) warnOfText(of, text, { node, compiler, report });
  for (const part of partsOf(node)) warnOfSenseless(part, compiler, report);
}

/** The parts of `a && b && c`, or of `a || b || c`. */
export function chainOf(node: Expression, operator: Logic): readonly Expression[] {
  if (node.kind !== 'logic' || node.operator !== operator) return [node];
  return [...chainOf(node.left, operator), ...chainOf(node.right, operator)];
}

/** `order.amount > order.amount`: usually one of two similar names was meant. */
function warnOfItself(node: Expression & { readonly kind: 'compare' }, report: Report): void {
  const of = printExpression(node.left);
  if (of !== printExpression(node.right) || namesIn(node.left).size === 0) return;
  const message = `${of} is compared with itself`;
  report({ start: node.start, end: node.end, message, suggestion: 'something else on one side', severity: 'warning' });
}

/** `event.hour >= 22 && event.hour < 6` is never true; `currency != "MXN" || currency != "USD"` always is. */
function warnOfChain(
  operator: Logic,
  parts: readonly Expression[],
  { compiler, report }: { readonly compiler: Compiler; readonly report: Report },
): void {
  const isBoth = operator === '&&';
  warnOfRepeated(parts, report);
  const bounding = parts.flatMap((part) => boundingOf(part) ?? []);
  const isWhole = ({ about }: Bounding): boolean => compiler.value(about, () => undefined)?.type === 'int';
  const asked = bounding
    .map((one) => (isBoth ? one : negated(one)))
    .map((one) => (typeof one.literal === 'number' && isWhole(one) ? ofWholes(one) : one));
  const [first, second] = firstPair(asked);
  if (first === undefined || second === undefined) return;
  const [a, b] = [printExpression(first.node), printExpression(second.node)];
  const message = isBoth ? `${a} and ${b} are never both true` : `one of ${a} and ${b} is always true`;
  const [one, other] = [first, second]
    .map(({ node }) => boundingOf(node)!)
    .map((bound) => (isBoth ? bound : negated(bound)));
  const suggestion = exclude(one!, other!) ? `${a} ${isBoth ? '||' : '&&'} ${b}` : 'a whole number between the two';
  report({ start: first.node.start, end: second.node.end, message, suggestion, severity: 'warning' });
}

/** `a && b && a`: copied, and then not changed. */
function warnOfRepeated(parts: readonly Expression[], report: Report): void {
  const texts = parts.map((part) => printExpression(part));
  const at = texts.findIndex((text, place) => texts.indexOf(text) < place);
  const again = parts[at];
  if (again === undefined) return;
  const message = `${texts[at]} appears here twice`;
  report({
    start: again.start,
    end: again.end,
    message,
    suggestion: 'remove one, or write another',
    severity: 'warning',
  });
}

function firstPair(asked: readonly Bounding[]): readonly Bounding[] {
  for (const [at, one] of asked.entries()) {
    const other = asked.slice(at + 1).find((later) => exclude(one, later));
    if (other !== undefined) return [one, other];
  }
  return [];
}

/** Text literals, each with the expression that it is compared with or searched in. */
function textsBeside(node: Expression): readonly (readonly [Expression, Text])[] {
  if (node.kind === 'compare' && (node.operator === '==' || node.operator === '!=')) {
    if (isText(node.right)) return [[node.left, node.right]];
    return isText(node.left) ? [[node.right, node.left]] : [];
  }
  if (node.kind === 'in' && node.right.kind === 'list') {
    return node.right.items.filter(isText).map((item) => [node.left, item] as const);
  }
  if (node.kind !== 'call' || node.receiver === undefined || !searching.has(node.name)) return [];
  const { receiver } = node;
  return node.args.filter(isText).map((argument) => [receiver, argument] as const);
}

function isText(node: Expression): node is Text {
  return node.kind === 'string';
}

interface Place {
  readonly node: Expression;
  readonly compiler: Compiler;
  readonly report: Report;
}

function warnOfText(of: Expression, text: Text, { node, compiler, report }: Place): void {
  if (node.kind === 'call' && text.value === '') {
    const message = `every text contains ""`;
    const suggestion = of.kind === 'path' ? `has(${pathText(of)}), or a text` : 'a text';
    report({ start: text.start, end: text.end, message, suggestion, severity: 'warning' });
    return;
  }
  const is = node.kind === 'call' ? 'never contains' : 'is never';
  const message = `${printExpression(of)} ${is} ${JSON.stringify(text.value)}`;
  const suggestion = insteadOf(of, text, node) ?? foldedOf(of, text, compiler);
  if (suggestion === undefined) return;
  report({ start: text.start, end: text.end, message, suggestion, severity: 'warning' });
}

/** The suggestion for a text that a fact never is. */
function insteadOf(of: Expression, { value }: Text, node: Expression): string | undefined {
  if (of.kind !== 'path' || node.kind === 'call') return undefined;
  const path = pathText(of);
  const fact = factDefinition(path);
  if (fact === undefined) return undefined;
  // `==` refuses such a value, `in` only warns: a list may have more values than exist.
  if (fact.values !== undefined) {
    if (node.kind !== 'in' || fact.values.includes(value)) return undefined;
    const meant = nearest(value, fact.values);
    return meant === undefined ? `one of ${fact.values.join(', ')}` : JSON.stringify(meant);
  }
  if (value === '' && fact.mayBeEmpty !== true) {
    if (node.kind === 'in') return 'remove it: a value of "" is missing';
    return node.kind === 'compare' && node.operator === '!=' ? `has(${path})` : `!has(${path})`;
  }
  return insteadOfText(fact, value);
}

/** The text as the function would return it, if that differs. */
function foldedOf(of: Expression, text: Text, compiler: Compiler): string | undefined {
  if (of.kind !== 'call' || of.receiver === undefined || !folding.has(of.name)) return undefined;
  const call: CallNode = { ...of, receiver: text };
  const folded = compiler.value(call, () => undefined);
  const value = folded?.constant === true ? folded.run([]) : undefined;
  return typeof value !== 'string' || value === text.value ? undefined : JSON.stringify(value);
}

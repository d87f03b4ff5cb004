import type { ParseError } from '@marcbachmann/cel-js';
import type { Mistake } from '../mistake.ts';

/** The library names tokens by words; people know them by their signs. */
const signs: Readonly<Record<string, string>> = {
  EOF: 'the end',
  NUMBER: 'a number',
  STRING: 'a string',
  BYTES: 'bytes',
  BOOLEAN: 'true or false',
  NULL: 'null',
  IDENTIFIER: 'a name',
  PLUS: '+',
  MINUS: '-',
  MULTIPLY: '*',
  DIVIDE: '/',
  MODULO: '%',
  EQ: '==',
  NE: '!=',
  LT: '<',
  LE: '<=',
  GT: '>',
  GE: '>=',
  AND: '&&',
  OR: '||',
  NOT: '!',
  IN: 'in',
  LPAREN: '(',
  RPAREN: ')',
  LBRACKET: '[',
  RBRACKET: ']',
  LBRACE: '{',
  RBRACE: '}',
  DOT: '.',
  COMMA: ',',
  COLON: ':',
  QUESTION: '?',
};

/** What people write who know another language, and what CEL has in its place. */
const habits: readonly (readonly [found: RegExp, suggestion: string])[] = [
  [/^and\b/i, '&& for "and"'],
  [/^or\b/i, '|| for "or"'],
  [/^not\s+in\b/i, '!(x in [1, 2])'],
  [/^not\b/i, '! for "not"'],
  [/^(?:is|equals)\b/i, '== to compare'],
  [/^(?:like|matches|contains)\b/i, 'a method, such as text.contains("gift")'],
  [/^between\b/i, 'x >= 1 && x <= 9'],
  [/^=/, '== to compare'],
  [/^&/, '&& for "and"'],
  [/^\|/, '|| for "or"'],
  [/^[“”‘’«»]/, 'straight quotes'],
  [/^[$€£#@]/, 'a name without a sign before it'],
];

/** Turns the library's complaint into one for analysts. */
export function explainSyntax(text: string, error: ParseError): Mistake {
  const start = Math.min(error.range?.start ?? 0, text.length);
  const end = Math.max(start + 1, Math.min(error.range?.end ?? start, text.length));
  const found = text.slice(start);
  const habit = habits.find(([pattern]) => pattern.test(found))?.[1];
  const suggestion =
    error.code === 'invalid_macro_argument' ? 'a new name, such as x' : (habit ?? lookBack(text, start));
  return { start, end, message: messageOf(text, error, start), suggestion };
}

/** Habits that stop the parser in their middle. */
function lookBack(text: string, start: number): string | undefined {
  if (text.slice(start - 1).startsWith('<>')) return '!= for "not equal"';
  if (/\d$/.test(text.slice(0, start)) && /^(?:ms|[dhms])\b/.test(text.slice(start)))
    return 'a duration in whole units, such as 1h30m';
  return undefined;
}

function messageOf(text: string, error: ParseError, start: number): string {
  if (text.trim() === '') return 'the expression is empty';
  if (error.code === 'invalid_macro_argument') return 'a name is expected here';
  if (error.code === 'unexpected_token' && start >= text.trimEnd().length) return 'the expression ends too early';
  if (error.code === 'unexpected_character')
    return `${JSON.stringify(firstWord(text.slice(start)))} is not expected here`;
  const summary = error.summary.replace(/\b[A-Z]{2,}\b/g, (word) => signs[word] ?? word);
  return summary.charAt(0).toLowerCase() + summary.slice(1);
}

function firstWord(text: string): string {
  return /^(?:\w+|\S)/u.exec(text)?.[0] ?? text.slice(0, 1);
}

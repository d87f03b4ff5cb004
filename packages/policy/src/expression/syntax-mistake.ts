import type { ParseError } from '@marcbachmann/cel-js';
import { durationMeant } from '../values/duration.ts';
import type { Mistake } from '../check/mistake.ts';
import { numberInFull } from './number-in-full.ts';

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

/** Common mistakes of people who know another language, with CEL's form. */
const habits: readonly (readonly [found: RegExp, suggestion: string])[] = [
  [/^and\b/i, '&& for "and"'],
  [/^or\b/i, '|| for "or"'],
  [/^not\s+in\b/i, '!(x in [1, 2])'],
  [/^not\b/i, '! for "not"'],
  [/^in\b/i, 'in in small letters: x in [1, 2]'],
  [/^!\s*in\b/i, '!(x in [1, 2])'],
  [/^is\s+not\s+(?:null|blank|empty|missing)\b/i, 'has(x)'],
  [/^is\s+(?:null|blank|empty|missing)\b/i, '!has(x)'],
  [/^exists\b/i, 'has(x)'],
  [/^(?:is|equals)\b/i, '== to compare'],
  [/^(?:like|matches|contains)\b/i, 'a method, such as text.contains("gift")'],
  [/^if\s*\(/i, 'condition ? a : b'],
  [/^between\b/i, 'x >= 1 && x <= 9'],
  [/^=>/, '>= to compare'],
  [/^=</, '<= to compare'],
  [/^=(?!=)/, '== to compare'],
  [/^&(?!&)/, '&& for "and"'],
  [/^\|(?!\|)/, '|| for "or"'],
  [/^,\s*\d{3}\b/, 'a number without commas, such as 10000'],
  [/^\{\{/, 'the name alone: braces are for messages'],
  [/^;/, 'no ; at the end'],
  [/^\^/, 'x * x for a square'],
  [/^#/, '// before a comment'],
  [/^[“”‘’«»]/, 'straight quotes'],
  [/^[$€£@]/, 'a name without a sign before it'],
];

/** Turns the library's error into a message for analysts. */
export function explainSyntax(text: string, error: ParseError): Mistake {
  const start = Math.min(error.range?.start ?? 0, text.length);
  const end = Math.max(start + 1, Math.min(error.range?.end ?? start, text.length));
  const found = text.slice(start);
  const habit = habits.find(([pattern]) => pattern.test(found))?.[1];
  const isForeign = error.code === 'unexpected_character' && /^[^\p{ASCII}]/u.test(found);
  const suggestion =
    error.code === 'invalid_macro_argument'
      ? 'a new name, such as x'
      : (habit ??
        (error.code === 'unterminated_string' ? 'the same quote at its end' : undefined) ??
        lookBack(text, start) ??
        (isForeign ? 'type it again: it only looks like a plain letter, sign or space' : undefined));
  return { start, end, message: messageOf(text, error, start), suggestion };
}

/** Of `:30`. */
const clockLength = 3;

/** Common mistakes that stop the parser in the middle of an expression. */
function lookBack(text: string, start: number): string | undefined {
  const [before, found] = [text.slice(0, start), text.slice(start)];
  if (before.endsWith('<') && found.startsWith('>')) return '!= for "not equal"';
  if (/\bnot\s+$/i.test(before)) return '! for "not"';
  if (before.endsWith('*') && found.startsWith('*')) return 'x * x for a square';
  if (before.endsWith('?') && found.startsWith('?')) return 'x.orValue(y)';
  if (before.endsWith('?') && found.startsWith('.')) return 'a dot alone: a missing value makes the condition missing';
  if (/\{\{[^{}]*$/.test(before) && found.startsWith('}')) return 'the name alone: braces are for messages';
  if (found.trim() === '' && /(?:&&|\|\|)\s*$/.test(before)) return 'a condition after it, or nothing';
  const [from, to] = [/\b(\d+)\.?$/.exec(before)?.[1], /^\.+\s*(\d+)/.exec(found)?.[1]];
  if (from !== undefined && to !== undefined) return `x >= ${from} && x <= ${to}`;
  const clock = /\b\d{1,2}$/.exec(before)?.[0];
  if (clock !== undefined && found.startsWith(':')) return durationMeant(`${clock}${found.slice(0, clockLength)}`);
  if (/\bin\s*\([^()]*$/.test(before) && found.startsWith(',')) return 'a list: x in [1, 2]';
  const number = numberMeant(before, found);
  if (number !== undefined) return number;
  if (/\d\s*%\s*$/.test(before)) return 'a share of 1: 0.1 for 10%';
  if (/\d\s*$/.test(before) && /^(?:ms|[dhms])\b/.test(found)) return 'a duration in whole units, such as 1h30m';
  if (/\d\s*$/.test(before) && /^(?:w\b|wk|mo\b|sec|min|hour|hr|day|week|month|year)/i.test(found))
    return 'a duration in d, h, m, s or ms, such as 7d, 24h or 90s';
  return parenthesisMeant(before, found);
}

/** A forgotten parenthesis. Parentheses inside texts are counted too, so this is a guess. */
function parenthesisMeant(before: string, found: string): string | undefined {
  const open = before.split('(').length - before.split(')').length;
  if (open > 0 && found.trim() === '') return 'a ) for each (';
  return open <= 0 && found.startsWith(')') ? 'a ( for each )' : undefined;
}

/** `1,5`, `10.000,50`, `1k`, `1_000`, `1.000.000`, `10'000`, `.5`, `1000 MXN`: numbers in other notations. */
function numberMeant(before: string, found: string): string | undefined {
  const blank = /\d\s$/.test(before) && /^\d{3}\b/.test(found);
  const [, first = ''] = /(\d[\d.,_']*)?\s*$/.exec(before)!;
  const written = first + (blank ? '_' : '') + /^[\d.,_']*/.exec(found)![0];
  if (/^\.\d+$/.test(written)) return `0${written}`;
  if (!/^\d/.test(written)) return /^\+\s*\d/.test(found) ? 'the number without +' : undefined;
  const [, unit = ''] = /^\s*([a-z]+)/i.exec(found.replace(/^[\d.,_']*/, '')) ?? [];
  if (/^[A-Z]{3}$/.test(unit))
    return `${numberInFull(written) ?? written}, and a comparison order.currency == "${unit}"`;
  const number = numberInFull(written + unit) ?? numberInFull(written);
  return number === written ? undefined : number;
}

function messageOf(text: string, error: ParseError, start: number): string {
  if (text.trim() === '') return 'the expression is empty';
  if (error.code === 'invalid_macro_argument') return 'a name is expected here';
  if (error.code === 'unexpected_token' && start >= text.trimEnd().length) return 'the expression ends too early';
  const limit = /^exceeded (\w+) \((\d+)\)/i.exec(error.summary);
  if (limit !== null) return `the expression has ${limits[limit[1] ?? ''] ?? limit[1]}: at most ${limit[2]}`;
  const found = text.slice(start);
  if (/^invalid number/i.test(error.summary))
    return `${/^[\w.+-]+/.exec(found)?.[0] ?? 'the number'} is not a number, or is too large`;
  if (error.code === 'unexpected_character') return `${quotedSign(found)} is not expected here`;
  if (error.code === 'unexpected_token' && /^unexpected token/i.test(error.summary))
    return `a value is expected here, not ${firstSign(found)}`;
  const summary = error.summary.replace(/\b[A-Z]{2,}\b/g, (word) => signs[word] ?? word);
  return summary.charAt(0).toLowerCase() + summary.slice(1);
}

/** Bounds of the library, in words. */
const limits: Readonly<Record<string, string>> = {
  maxDepth: 'too many nested parentheses, calls and members',
  maxAstNodes: 'too many parts',
  maxListElements: 'too long a list',
  maxMapEntries: 'too long a map',
  maxCallArguments: 'a call with too many arguments',
};

/** A word or a sign; a look-alike of another sign is also shown by its code point. */
function quotedSign(found: string): string {
  const word = /^(?:\w+|\S|\s)/u.exec(found)?.[0] ?? '';
  const code = word.codePointAt(0) ?? 0;
  const isForeign = code > 0x7f;
  return `${JSON.stringify(word)}${isForeign ? ` (U+${code.toString(16).toUpperCase().padStart(4, '0')})` : ''}`;
}

function firstSign(found: string): string {
  return /^(?:\w+|&&|\|\||[=!<>]=|\S)/u.exec(found)?.[0] ?? 'the end';
}

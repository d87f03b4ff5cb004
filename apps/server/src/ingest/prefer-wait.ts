import { waitSecondsMax } from '@ringfence/contract';

/** Longer than any legitimate list of preferences. */
const headerLengthMax = 1_024;
/**
 * Token, quoted string, separator or white space: RFC 9110, 5.6. The first character decides which, so there is no
 * backtracking.
 */
const lexeme = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[^"\\]|\\.)*"|[=;,]|[\t ]+/y;
const wholeSeconds = /^\d+$/;

/**
 * How many seconds a request is willing to wait for its decision, from its `Prefer` header: at most `waitSecondsMax`.
 * `undefined` if the header has no `wait`, a `wait` without a whole number, or is malformed. The first `wait` counts.
 *
 * Source: RFC 7240, 2 and 4.3
 */
export function preferredWaitSeconds(header: string | readonly string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const lexemes = lexemesOf(typeof header === 'string' ? header : header.join(','));
  if (lexemes === undefined) return undefined;
  const preferences = split(lexemes, ',').map((element) => split(element, ';'));
  if (!preferences.flat().every(isAssignment)) return undefined;
  const wait = preferences.find(([assignment]) => assignment?.[0]?.toLowerCase() === 'wait');
  const value = wait?.[0]?.[2] ?? '';
  return wholeSeconds.test(value) ? Math.min(Number(value), waitSecondsMax) : undefined;
}

/** The lexemes without white space; `undefined` if the text contains anything else. */
function lexemesOf(text: string): readonly string[] | undefined {
  if (text.length > headerLengthMax) return undefined;
  const lexemes: string[] = [];
  lexeme.lastIndex = 0;
  for (let at = 0; at < text.length; at = lexeme.lastIndex) {
    const found = lexeme.exec(text)?.[0];
    if (found === undefined) return undefined;
    if (found.trim() !== '') lexemes.push(found);
  }
  return lexemes;
}

function split(lexemes: readonly string[], separator: ';' | ','): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  for (const each of lexemes) {
    if (each === separator) parts.push([]);
    else parts.at(-1)!.push(each);
  }
  return parts;
}

/** `name`, `name=value` or an empty part, which is allowed. */
function isAssignment([name, equals, value, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (name === '=' || name.startsWith('"') || rest.length > 0) return false;
  return equals === undefined || (equals === '=' && value !== '=');
}

import { type Document, isCollection, isScalar, visit, type YAMLError } from 'yaml';
import type { SourceFile } from './mistakes.ts';

/** A YAML syntax error of a file, at an offset. */
export interface YamlMistake {
  readonly offset: number;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/**
 * Turns the YAML library's errors into messages for authors, who mostly forgot a quote, a bracket or some spaces.
 *
 * One mistake produces many follow-up errors: only the first of each line and of each kind is reported, and an unclosed
 * bracket or quote hides the rest of the file.
 */
export function yamlMistakes(source: SourceFile, document: Document): readonly YamlMistake[] {
  const found = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  const unclosed = found.some(isOfUnclosed) ? firstUnclosed(document, source.text) : undefined;
  const lines = new Set<number>();
  const kinds = new Set<string>();
  const mistakes: YamlMistake[] = [];
  for (const error of found) {
    if (isOfUnclosed(error) && unclosed !== undefined) continue;
    const mistake = explain(error, source.text);
    const { line } = source.position(mistake.offset);
    const isBehind = unclosed !== undefined && mistake.offset >= unclosed.offset;
    if (!isBehind && !lines.has(line) && !kinds.has(mistake.message)) mistakes.push(mistake);
    lines.add(line);
    kinds.add(mistake.message);
  }
  return unclosed === undefined ? mistakes : [...mistakes, unclosed];
}

function isOfUnclosed({ message }: YAMLError): boolean {
  return / end with a |^Missing closing /.test(message);
}

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']', '"': '"', "'": "'" };

/** The last innermost bracket or quote that is opened and never closed, which is where people usually forget it. */
function firstUnclosed(document: Document, text: string): YamlMistake | undefined {
  let last: YamlMistake | undefined;
  visit(document, {
    Node: (_, node) => {
      const [start, end] = node.range ?? [0, 0];
      const sign = text[start] ?? '';
      const close = isCollection(node) || isScalar(node) ? closing[sign] : undefined;
      if (close === undefined || (isCollection(node) && node.flow !== true)) return;
      if (end - start > 1 && text[end - 1] === close) return;
      last =
        isCollection(node) && isBalanced(text, start)
          ? {
              offset: start,
              message: 'a text with [ ] or { } needs quotes within { } and [ ]',
              suggestion: `when: 'order.currency in ["MXN", "USD"]', the whole text in quotes`,
            }
          : { offset: start, message: `${sign} is not closed`, suggestion: close };
    },
  });
  return last;
}

/** Whether each bracket that is opened in this line, from here on, is closed in it, outside of quotes. */
function isBalanced(text: string, from: number): boolean {
  const end = text.indexOf('\n', from);
  const line = text.slice(from, end < 0 ? text.length : end).replaceAll(/"[^"]*"|'[^']*'/g, '');
  const open: string[] = [];
  for (const sign of line) {
    if (sign === '{' || sign === '[') open.push(closing[sign]!);
    else if ((sign === '}' || sign === ']') && open.pop() !== sign) return false;
    if (open.length === 0) return true;
  }
  return false;
}

/** Characters that have a meaning in YAML at the beginning of a text. */
const needsQuotes = 'put a text in quotes if it begins with one of { [ & * ! | > % @ ` or contains ": " or " #"';

function explain({ code, message, pos }: YAMLError, text: string): YamlMistake {
  const offset = pos[0] + /^[ \n\r]*/.exec(text.slice(pos[0], pos[0] + indentMax))![0].length;
  switch (code) {
    case 'TAB_AS_INDENT':
      return { offset, message: 'there is a tab where spaces are expected', suggestion: 'two spaces for each level' };
    case 'MULTIPLE_DOCS':
      return { offset, message: 'a second document begins here', suggestion: 'remove the ---: a file is one document' };
    case 'TAG_RESOLVE_FAILED':
      return { offset, message: `a text that begins with ! needs quotes`, suggestion: quoted(text, offset) };
    case 'BAD_SCALAR_START':
      return {
        offset,
        message: `a text that begins with ${text[offset]} needs quotes`,
        suggestion: quoted(text, offset),
      };
    case 'BAD_DQ_ESCAPE':
      return {
        offset,
        message: `${text.slice(offset, offset + 2)} is not an escape sequence in double quotes`,
        suggestion: 'single quotes around the text, or two backslashes',
      };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return message.startsWith('Nested mappings')
        ? { offset, message: 'a text that contains ": " needs quotes', suggestion: quoted(text, offset) }
        : unevenly(offset);
    case 'MULTILINE_IMPLICIT_KEY':
      return { offset, message: 'a name, a colon and a space are expected on one line', suggestion: 'name: value' };
    case 'MISSING_CHAR':
    case 'BAD_INDENT':
      return missing(message, offset);
    case 'UNEXPECTED_TOKEN':
    case 'MULTIPLE_ANCHORS':
      return { offset, message: `not YAML: ${wordAt(text, offset)} is not expected here`, suggestion: needsQuotes };
    default:
      return { offset, message: `not YAML: ${reasonOf(message)}` };
  }
}

/** Wrong indentation is reported where it begins. */
const indentMax = 200;

function missing(message: string, offset: number): YamlMistake {
  if (message.includes('between flow'))
    return { offset, message: 'a comma is missing', suggestion: `one between items; ${needsQuotes}` };
  if (message.includes('without - indicator')) return unevenly(offset);
  if (message.includes('followed by map values'))
    return { offset, message: 'a colon and a value are expected after the name', suggestion: 'name: value' };
  return { offset, message: `not YAML: ${reasonOf(message)}` };
}

function unevenly(offset: number): YamlMistake {
  return {
    offset,
    message: 'the line is indented differently from the lines above it',
    suggestion: 'as many spaces as the lines that it belongs with',
  };
}

/** The rest of the line in quotes, if it is short and contains no quotes itself. */
function quoted(text: string, offset: number): string {
  const rest = (/^[^\n\r]*/.exec(text.slice(offset, offset + restMax))?.[0] ?? '').trim();
  if (rest.length < restMax && !rest.includes('"')) return `"${rest}"`;
  return rest.length < restMax && !rest.includes("'") ? `'${rest}'` : 'the whole text in quotes';
}

const restMax = 120;

function wordAt(text: string, offset: number): string {
  return JSON.stringify(/^(?:\w+|\S)/u.exec(text.slice(offset, offset + restMax))?.[0] ?? '');
}

function reasonOf(message: string): string {
  if (message.startsWith('Maximum call stack')) return 'it is nested too deeply';
  const reason = message.replace(/\s+/g, ' ');
  return reason.charAt(0).toLowerCase() + reason.slice(1);
}

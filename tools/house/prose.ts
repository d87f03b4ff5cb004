import { type SourceFile, type SyntaxNode, isNode, visit } from './source-file.ts';

/** Text that people read, found in code. */
export interface Prose {
  /** Messages are error messages, log lines, help and descriptions. */
  readonly kind: 'comment' | 'message' | 'label' | 'test';
  readonly path: string;
  readonly line: number;
  /** On one line; an expression inside a template is `${…}`. */
  readonly text: string;
}

const isTest = /\/(?:test|conformance)\/|^e2e\/|\.test\.ts$/;
const isLabels = /^apps\/console\/src\/language\//;

/** The comments of a file, and its labels, test names or messages, in order. Files of labels and tests have no messages. */
export function proseOf(file: SourceFile): readonly Prose[] {
  return [...comments(file), ...strings(file)].toSorted((a, b) => a.line - b.line);
}

/** Comments of at least two words. Consecutive line comments are one. */
function comments(file: SourceFile): readonly Prose[] {
  const found = codeComments(file).filter(({ text }) => !/^(?:(?:ox|es)lint-|@ts-|#!|<reference|@vite|v8 )/.test(text));
  const joined: Prose[] = [];
  for (const { at, text, ownLine } of found) {
    const line = lineAt(file, at);
    const before = joined.at(-1);
    const lineAbove = file.text.split('\n')[line - 2]?.trim() ?? '';
    if (ownLine && before !== undefined && lineAbove.startsWith('//') && file.text.startsWith('//', at)) {
      joined[joined.length - 1] = { ...before, text: `${before.text} ${text}` };
    } else joined.push({ kind: 'comment', path: file.path, line, text });
  }
  return joined.filter(({ text }) => words(text) >= 2);
}

interface Comment {
  readonly at: number;
  readonly text: string;
  readonly ownLine: boolean;
}

function codeComments({ text, tree }: SourceFile): readonly Comment[] {
  // In literals, `//` and `/*` do not start a comment.
  const literals: (readonly [start: number, end: number])[] = [];
  visit(tree, ({ type, start, end }) => {
    if (type === 'Literal' || type === 'TemplateElement' || type === 'JSXText') literals.push([start, end]);
  });
  literals.sort(([a], [b]) => a - b);
  const found: Comment[] = [];
  const opening = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  let next = 0;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const at = match.index;
    while (next < literals.length && literals[next]![1] <= at) next++;
    const literal = literals[next];
    if (literal !== undefined && literal[0] <= at) {
      opening.lastIndex = literal[1];
      continue;
    }
    const before = text.slice(text.lastIndexOf('\n', at) + 1, at).trim();
    found.push({ at, text: plain(match[0]), ownLine: before === '' });
  }
  return found;
}

/** The text of a comment, on one line. */
function plain(comment: string): string {
  const inside = comment.startsWith('//') ? comment.slice(2) : comment.slice(2, -2);
  return oneLine(inside.replaceAll(/^[ \t]*\*+/gm, ''));
}

function strings(file: SourceFile): readonly Prose[] {
  const found: Prose[] = [];
  const inLabels = isLabels.test(file.path);
  const inTest = isTest.test(file.path);
  const add = (kind: Prose['kind'], node: SyntaxNode): void => {
    const text = oneLine(textOf(node) ?? '');
    if (text !== '') found.push({ kind, path: file.path, line: lineAt(file, node.start), text });
  };
  visit(file.tree, (node, parent) => {
    if (inLabels) {
      if (parent?.type === 'Property' && parent['value'] === node) add('label', node);
    } else if (inTest) {
      if (isTestName(node, parent, file)) add('test', node);
    } else if (!isPart(parent) && isMessage(textOf(node))) add('message', node);
  });
  return found;
}

function isTestName(node: SyntaxNode, parent: SyntaxNode | undefined, { text }: SourceFile): boolean {
  if (parent?.type !== 'CallExpression' || (parent['arguments'] as readonly unknown[])[0] !== node) return false;
  return /^(?:it|test|describe)\b/.test(text.slice(parent.start, parent.start + 10));
}

/** Whether a string is a part of a longer text, or not a value. */
function isPart(parent: SyntaxNode | undefined): boolean {
  const joins = parent?.type === 'BinaryExpression' && parent['operator'] === '+';
  return joins || parent?.type === 'ImportDeclaration' || parent?.type === 'TSLiteralType';
}

const sql =
  /^(?:--|and|with|lock|select|insert|update|delete|create|alter|drop|vacuum|order by)\s|\border by\b|\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|FROM|WHERE|SET|VALUES|RETURNING)\b/;

/** Four words or more that are neither SQL nor a list of names. */
function isMessage(text: string | undefined): boolean {
  if (text === undefined || words(text) < 4 || sql.test(text.trim())) return false;
  return /^["“A-Z$(]/.test(text.trim()) ? !/[{;]\n/.test(text) : / (?:a|an|the|is|are|of|to|in|for|not|no) /.test(text);
}

/** The text of a string, a template or a concatenation; `undefined` for other nodes. */
function textOf(node: SyntaxNode): string | undefined {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type === 'TemplateLiteral') {
    const parts = node['quasis'] as readonly { readonly value: { readonly cooked: string } }[];
    return parts.map(({ value }) => value.cooked).join('${…}');
  }
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return undefined;
  const sides = [node['left'], node['right']].map((side) => (isNode(side) ? textOf(side) : undefined));
  if (sides.every((side) => side === undefined)) return undefined;
  return sides.map((side) => side ?? '${…}').join('');
}

function lineAt({ text }: SourceFile, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function words(text: string): number {
  return text.match(/\p{L}[\p{L}'’-]+/gu)?.length ?? 0;
}

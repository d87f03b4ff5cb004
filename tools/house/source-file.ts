import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree, ESTree with TypeScript's own kinds. Members differ by `type`. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly tree: SyntaxNode;
}

/** One breach of a house rule, as a person wants to read it: `file:line: what is wrong`. */
export type Finding = string;

export const root = fileURLToPath(new URL('../..', import.meta.url));

const codePattern = '{packages,apps}/*/{src,test,conformance,bin,public,generate}/**/*.{ts,tsx,js,mjs}';
const toolPattern = '{bench,e2e,tools}/**/*.{ts,js,mjs}';

/** Every file of code that people write: what is generated, built or installed is left out. */
export function sourceFiles(): readonly SourceFile[] {
  return paths([codePattern, toolPattern, '*.ts']).map((path) =>
    sourceFile(path, readFileSync(`${root}/${path}`, 'utf8')),
  );
}

/** Files that match, from the root, in order of their names. */
export function paths(patterns: readonly string[]): readonly string[] {
  const skipped = ['node_modules', 'dist', '.git', '.ringfence'];
  return globSync([...patterns], { cwd: root, exclude: (name) => skipped.includes(name) })
    .filter((path) => !skipped.some((folder) => path.split('/').includes(folder)))
    .filter((path) => !path.includes('.generated.'))
    .toSorted();
}

export function sourceFile(path: string, text: string): SourceFile {
  const lang = path.endsWith('x') ? 'tsx' : 'ts';
  return { path, text, tree: parseAst(text, { lang }, path) as unknown as SyntaxNode };
}

/** Calls `look` with every node, parents first, and with the node that holds it. */
export function visit(node: SyntaxNode, look: (node: SyntaxNode, parent: SyntaxNode | undefined) => void): void {
  const open: { readonly node: SyntaxNode; readonly parent: SyntaxNode | undefined }[] = [{ node, parent: undefined }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    look(next.node, next.parent);
    for (const member of Object.values(next.node)) {
      for (const child of Array.isArray(member) ? member : [member]) {
        if (isNode(child)) open.push({ node: child, parent: next.node });
      }
    }
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** `file:line: message`, with the line of that position in the text. */
export function finding(file: SourceFile, at: number, message: string): Finding {
  return `${file.path}:${file.text.slice(0, at).split('\n').length}: ${message}`;
}

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree: ESTree with TypeScript's nodes. Members depend on `type`. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export interface SourceFile {
  /** Relative to the root of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly tree: SyntaxNode;
}

/** One violation of a house rule: `file:line: what is wrong`. */
export type Finding = string;

export const root = fileURLToPath(new URL('../..', import.meta.url));

const codePattern = '{packages,apps}/*/{src,test,conformance,bin,public,generate}/**/*.{ts,tsx,js,mjs}';
const toolPattern = '{bench,e2e,tools}/**/*.{ts,js,mjs}';

/** Every source file, without generated, built and installed ones. */
export function sourceFiles(): readonly SourceFile[] {
  return paths([codePattern, toolPattern, '*.ts']).map((path) =>
    sourceFile(path, readFileSync(`${root}/${path}`, 'utf8')),
  );
}

/** Paths that match, relative to the root, in alphabetical order. */
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

/** Calls `look` with every node and its parent, parents first. */
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

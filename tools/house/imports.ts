import { isNode, type SourceFile, type SyntaxNode, visit } from './source-file.ts';

export interface Import {
  /** The specifier as written, for example `./step.ts` or `@ringfence/contract`. */
  readonly specifier: string;
  /** Offset in the text. */
  readonly at: number;
}

const importing = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

/** Everything that a file imports, including types and `import()`; computed specifiers are omitted. */
export function importsOf(file: SourceFile): readonly Import[] {
  const imports: Import[] = [];
  visit(file.tree, (node) => {
    if (!importing.has(node.type)) return;
    const specifier = literal(node['source'] ?? node['argument']);
    if (specifier !== undefined) imports.push({ specifier, at: node.start });
  });
  return imports.toSorted((a, b) => a.at - b.at);
}

function literal(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  const inner: SyntaxNode = node.type === 'TSLiteralType' && isNode(node['literal']) ? node['literal'] : node;
  return inner.type === 'Literal' && typeof inner['value'] === 'string' ? inner['value'] : undefined;
}

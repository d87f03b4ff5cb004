import { finding, type Finding, isNode, type SourceFile, type SyntaxNode, visit } from '../source-file.ts';

/** Methods that change what they are called on. */
const changing: ReadonlySet<string> = new Set(
  'add clear copyWithin delete fill pop push reverse set shift sort splice unshift'.split(' '),
);

/** Collections of the language, which a type with `readonly` protects from changes. */
const guarded = /^(?:Readonly|readonly )/;

/** A typed array without elements cannot change. */
const emptyBytes = /^new \w+Array\(0\)$/;

/**
 * Module-level variables that something may change: `let`, an object that is made by `new` and not declared read-only,
 * and a value that the file itself changes. Two states of one process would share them.
 */
export function moduleStateFindings(file: SourceFile, excused: ReadonlySet<string>): readonly Finding[] {
  const changed = changedNames(file);
  return declarations(file).flatMap(({ name, node, isLet, type, value }) => {
    if (excused.has(name)) return [];
    const isMade = value?.type === 'NewExpression' && !guarded.test(type) && !emptyBytes.test(textOf(file, value));
    const how = isLet ? 'is reassigned' : changed.has(name) ? 'is changed' : isMade ? 'is not read-only' : undefined;
    return how === undefined ? [] : [finding(file, node.start, `the module's variable ${name} ${how}`)];
  });
}

interface Declared {
  readonly name: string;
  readonly node: SyntaxNode;
  readonly isLet: boolean;
  /** As it is written; "" for none. */
  readonly type: string;
  readonly value: SyntaxNode | undefined;
}

function declarations(file: SourceFile): readonly Declared[] {
  return nodes(file.tree['body']).flatMap((statement) => {
    const inner = statement['declaration'];
    const declaration = isNode(inner) ? inner : statement;
    if (declaration.type !== 'VariableDeclaration') return [];
    return nodes(declaration['declarations']).flatMap((node): readonly Declared[] => {
      const { id, init } = node;
      if (!isNode(id) || id.type !== 'Identifier') return [];
      const annotation = id['typeAnnotation'];
      const type = isNode(annotation) ? textOf(file, annotation).replace(/^:\s*/, '') : '';
      const value = isNode(init) ? init : undefined;
      return [{ name: String(id['name']), node, isLet: declaration['kind'] !== 'const', type, value }];
    });
  });
}

/** Names whose members are assigned, or on which a changing method is called, somewhere in the file. */
function changedNames(file: SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  const note = (node: unknown): void => {
    const name = rootOf(node);
    if (name !== undefined) names.add(name);
  };
  visit(file.tree, (node) => {
    if (node.type === 'AssignmentExpression') note(node['left']);
    if (node.type === 'UpdateExpression') note(node['argument']);
    const { callee } = node;
    if (node.type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return;
    const { property } = callee;
    if (isNode(property) && changing.has(String(property['name']))) note(callee);
  });
  return names;
}

/** The variable at the beginning of `name.member[index]`; `undefined` for other expressions and for a bare name. */
function rootOf(node: unknown): string | undefined {
  let inner = node;
  if (!isNode(inner) || inner.type !== 'MemberExpression') return undefined;
  while (isNode(inner) && (inner.type === 'MemberExpression' || inner.type === 'TSNonNullExpression')) {
    inner = inner.type === 'MemberExpression' ? inner['object'] : inner['expression'];
  }
  return isNode(inner) && inner.type === 'Identifier' ? String(inner['name']) : undefined;
}

function textOf(file: SourceFile, { start, end }: SyntaxNode): string {
  return file.text.slice(start, end);
}

function nodes(list: unknown): readonly SyntaxNode[] {
  return Array.isArray(list) ? list.filter(isNode) : [];
}

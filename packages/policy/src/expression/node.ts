import { unreachable } from '@ringfence/contract';

/** A span in the text of an expression, in UTF-16 units from its beginning; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';
export type Arithmetic = '+' | '-' | '*' | '/' | '%';
export type Logic = '&&' | '||';

/** A part of a dotted path. */
export interface PathPart extends Span {
  readonly name: string;
}

export interface NumberLiteral extends Span {
  readonly kind: 'number';
  /** `int` without a point and an exponent, `uint` with the suffix u, otherwise `double`. */
  readonly type: 'int' | 'uint' | 'double';
  /** A bigint only if a number would not be exact. */
  readonly value: number | bigint;
  /** As it was written, so that a decimal keeps its digits. */
  readonly text: string;
  readonly isHex: boolean;
}

export interface PathNode extends Span {
  readonly kind: 'path';
  /** At least one. */
  readonly parts: readonly PathPart[];
}

export interface ListNode extends Span {
  readonly kind: 'list';
  readonly items: readonly Expression[];
}

export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
}

export interface CallNode extends Span {
  readonly kind: 'call';
  readonly name: string;
  readonly nameSpan: Span;
  /** `undefined` for a plain function: `has(x)`. */
  readonly receiver: Expression | undefined;
  readonly args: readonly Expression[];
}

export interface BinaryNode<Operator> extends Span {
  readonly operator: Operator;
  readonly left: Expression;
  readonly right: Expression;
}

/** A parsed condition. Types are not known yet, nor whether its names exist. */
export type Expression =
  | NumberLiteral
  | (Span & { readonly kind: 'string'; readonly value: string })
  | (Span & { readonly kind: 'bool'; readonly value: boolean })
  | (Span & { readonly kind: 'null' })
  | (Span & { readonly kind: 'bytes'; readonly value: Uint8Array })
  /** `15m`: milliseconds. */
  | (Span & { readonly kind: 'duration'; readonly ms: number })
  | PathNode
  /** `details["key"]` */
  | (Span & { readonly kind: 'index'; readonly of: Expression; readonly key: Expression })
  /** `f(x).name`; a member of a path is a part of the path. */
  | (Span & { readonly kind: 'select'; readonly of: Expression; readonly name: PathPart })
  | ListNode
  | (Span & { readonly kind: 'map'; readonly entries: readonly MapEntry[] })
  | CallNode
  | (BinaryNode<Comparison> & { readonly kind: 'compare' })
  | (BinaryNode<Arithmetic> & { readonly kind: 'arithmetic' })
  | (BinaryNode<Logic> & { readonly kind: 'logic' })
  | (BinaryNode<'in'> & { readonly kind: 'in' })
  | (Span & { readonly kind: 'not'; readonly of: Expression })
  | (Span & { readonly kind: 'negate'; readonly of: Expression })
  | (Span & {
      readonly kind: 'choice';
      readonly condition: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    });

/** `order.amount` */
export function pathText(node: PathNode): string {
  return node.parts.map((part) => part.name).join('.');
}

/** The direct children of an expression, in the order of the text. */
export function partsOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'number':
    case 'string':
    case 'bytes':
    case 'bool':
    case 'null':
    case 'duration':
    case 'path':
      return [];
    case 'index':
      return [node.of, node.key];
    case 'select':
    case 'not':
    case 'negate':
      return [node.of];
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'call':
      return node.receiver === undefined ? node.args : [node.receiver, ...node.args];
    case 'compare':
    case 'arithmetic':
    case 'logic':
    case 'in':
      return [node.left, node.right];
    case 'choice':
      return [node.condition, node.yes, node.no];
    default:
      return unreachable(node);
  }
}

/** The first names of all paths in an expression. */
export function namesIn(node: Expression): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (part: Expression): void => {
    if (part.kind === 'path' && part.parts[0] !== undefined) names.add(part.parts[0].name);
    partsOf(part).forEach(visit);
  };
  visit(node);
  return names;
}

/** The expression with some of its paths replaced; `undefined` leaves a path as it is. */
export function replacePaths(node: Expression, replace: (path: PathNode) => Expression | undefined): Expression {
  const inside = (part: Expression): Expression => replacePaths(part, replace);
  switch (node.kind) {
    case 'number':
    case 'string':
    case 'bytes':
    case 'bool':
    case 'null':
    case 'duration':
      return node;
    case 'path':
      return replace(node) ?? node;
    case 'index':
      return { ...node, of: inside(node.of), key: inside(node.key) };
    case 'select':
    case 'not':
    case 'negate':
      return { ...node, of: inside(node.of) };
    case 'list':
      return { ...node, items: node.items.map(inside) };
    case 'map':
      return { ...node, entries: node.entries.map(({ key, value }) => ({ key: inside(key), value: inside(value) })) };
    case 'call': {
      const { receiver, args } = node;
      return { ...node, receiver: receiver && inside(receiver), args: args.map(inside) };
    }
    case 'compare':
    case 'arithmetic':
    case 'logic':
    case 'in':
      return { ...node, left: inside(node.left), right: inside(node.right) };
    case 'choice':
      return { ...node, condition: inside(node.condition), yes: inside(node.yes), no: inside(node.no) };
    default:
      return unreachable(node);
  }
}

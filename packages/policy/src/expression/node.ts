/** Where something stands in the text of an expression: UTF-16 units from its beginning, `end` not included. */
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
  /** `int` without a point and an exponent, else `double`. */
  readonly type: 'int' | 'double';
  readonly value: number;
  /** As it was written, so that a decimal keeps its digits. */
  readonly text: string;
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

export interface CallNode extends Span {
  readonly kind: 'call';
  readonly name: string;
  /** `undefined` for a plain function: `has(x)`. */
  readonly receiver: Expression | undefined;
  readonly args: readonly Expression[];
}

export interface BinaryNode<Operator> extends Span {
  readonly operator: Operator;
  readonly left: Expression;
  readonly right: Expression;
}

/** A parsed condition. Nothing is known yet of types, or of whether its names mean anything. */
export type Expression =
  | NumberLiteral
  | (Span & { readonly kind: 'string'; readonly value: string })
  | (Span & { readonly kind: 'bool'; readonly value: boolean })
  | (Span & { readonly kind: 'null' })
  /** `15m`: milliseconds. */
  | (Span & { readonly kind: 'duration'; readonly ms: number })
  | PathNode
  /** `details["key"]` */
  | (Span & { readonly kind: 'index'; readonly of: Expression; readonly key: Expression })
  | ListNode
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

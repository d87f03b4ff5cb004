import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { unreachable } from '@ringfence/contract';
import { integer, intRange, uintRange } from '../values/integers.ts';
import type { Report } from '../check/mistake.ts';
import { type Hidden, hideTokens, wholeBytes } from './hidden-tokens.ts';
import type { Expression, NumberLiteral, PathPart } from './node.ts';
import { explainSyntax } from './syntax-mistake.ts';

/** Bounds of one expression, so that reading, checking and running it cost little whatever it contains. */
export const expressionBounds = {
  /** A page of text; the longest condition anyone has shown us has 900. */
  lengthChars: 4_000,
  /** Operators, literals and names together. */
  nodes: 500,
  /** Nested parentheses and calls: the bound of every CEL parser. People don't read deeper ones either. */
  depth: 40,
  /** A literal list or map in a condition; longer ones belong under `lists:`. */
  listItems: 200,
  arguments: 8,
} as const;

const cel = new Environment({
  enableOptionalTypes: true,
  limits: {
    maxAstNodes: expressionBounds.nodes,
    maxDepth: expressionBounds.depth,
    maxListElements: expressionBounds.listItems,
    maxMapEntries: expressionBounds.listItems,
    maxCallArguments: expressionBounds.arguments,
  },
});

/**
 * Parses a condition: CEL's grammar, and duration literals such as `15m`.
 *
 * @returns `undefined` if the text is not an expression; the mistakes were reported
 */
export function parseExpression(text: string, report: Report): Expression | undefined {
  if (text.length > expressionBounds.lengthChars) {
    const message = `the expression has ${text.length} characters`;
    report({ start: 0, end: 1, message, suggestion: `at most ${expressionBounds.lengthChars} characters` });
    return undefined;
  }
  const hidden = hideTokens(text);
  const tree = parseCel(hidden.text, (error) => report(explainSyntax(text, error)));
  if (tree === undefined) return undefined;
  let failed = false;
  const reader = new TreeReader(text, hidden, (mistake) => {
    failed = true;
    report(mistake);
  });
  const expression = reader.read(tree);
  return failed ? undefined : expression;
}

/** The only call of the library's parser. It throws on syntax errors; any other exception is a bug. */
function parseCel(text: string, onMistake: (error: ParseError) => void): ASTNode | undefined {
  try {
    return cel.parse(text).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    onMistake(error);
    return undefined;
  }
}

/** Converts the library's tree to ours. */
class TreeReader {
  readonly #text: string;
  readonly #hidden: Hidden;
  readonly #report: Report;

  constructor(text: string, hidden: Hidden, report: Report) {
    this.#text = text;
    this.#hidden = hidden;
    this.#report = report;
  }

  read(node: ASTNode): Expression {
    const span = { start: node.start, end: node.end };
    switch (node.op) {
      case 'value':
        return this.#literal(node, node.args);
      case 'id':
        return this.#name(node, node.args);
      case '.':
      case '.?':
        return this.#select(node, node.args);
      case '[]':
      case '[?]':
        return { ...span, kind: 'index', of: this.read(node.args[0]), key: this.read(node.args[1]) };
      case 'call': {
        const [name, args] = node.args;
        const nameSpan = { start: node.start, end: node.start + name.length };
        return { ...span, kind: 'call', name, nameSpan, receiver: undefined, args: this.#all(args) };
      }
      case 'rcall': {
        const [name, receiver, args] = node.args;
        // Between the receiver and the name there can only be the dot, spaces and parentheses.
        const start = Math.max(this.#text.indexOf(name, receiver.end), node.start);
        const nameSpan = { start, end: start + name.length };
        return { ...span, kind: 'call', name, nameSpan, receiver: this.read(receiver), args: this.#all(args) };
      }
      case 'list':
        return { ...span, kind: 'list', items: this.#all(node.args) };
      case 'map': {
        const entries = node.args.map(([key, value]) => ({ key: this.read(key), value: this.read(value) }));
        return { ...span, kind: 'map', entries };
      }
      case '?:': {
        const [condition, yes, no] = node.args;
        return { ...span, kind: 'choice', condition: this.read(condition), yes: this.read(yes), no: this.read(no) };
      }
      case '!_':
        return { ...span, kind: 'not', of: this.read(node.args) };
      case '-_':
        return this.#smallest(node, node.args) ?? { ...span, kind: 'negate', of: this.read(node.args) };
      case '&&':
      case '||':
        return { ...span, kind: 'logic', operator: node.op, ...this.#sides(node.args) };
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return { ...span, kind: 'compare', operator: node.op, ...this.#sides(node.args) };
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
        return { ...span, kind: 'arithmetic', operator: node.op, ...this.#sides(node.args) };
      case 'in':
        return { ...span, kind: 'in', operator: node.op, ...this.#sides(node.args) };
      default:
        return unreachable(node);
    }
  }

  #all(nodes: readonly ASTNode[]): Expression[] {
    return nodes.map((node) => this.read(node));
  }

  #sides([left, right]: readonly [ASTNode, ASTNode]): { readonly left: Expression; readonly right: Expression } {
    return { left: this.read(left), right: this.read(right) };
  }

  #name(node: ASTNode, name: string): Expression {
    const span = { start: node.start, end: node.end };
    const quoted = this.#hidden.names.get(node.start);
    if (quoted === undefined) return { ...span, kind: 'path', parts: [{ ...span, name }] };
    return this.#refuse(
      node,
      `${this.#textOf(node)} needs a value and a dot before it`,
      'transaction.details.`content-type`',
    );
  }

  /** `a.b.c` becomes one path. */
  #select(node: ASTNode, [of, name]: readonly [ASTNode, string]): Expression {
    const owner = this.read(of);
    // The library stores the start of the name itself in `pos`, and the start of the whole chain in `start`.
    const part: PathPart = { name: this.#hidden.names.get(node.pos) ?? name, start: node.pos, end: node.end };
    const { start, end } = node;
    if (owner.kind === 'path') return { kind: 'path', start, end, parts: [...owner.parts, part] };
    return { kind: 'select', start, end, of: owner, name: part };
  }

  #literal(node: ASTNode, value: unknown): Expression {
    const span = { start: node.start, end: node.end };
    if (typeof value === 'string') return { ...span, kind: 'string', value };
    if (typeof value === 'boolean') return { ...span, kind: 'bool', value };
    if (value === null) return { ...span, kind: 'null' };
    if (value instanceof Uint8Array) {
      const raw = this.#hidden.bytes.get(node.start) ?? wholeBytes(this.#textOf(node), value);
      return { ...span, kind: 'bytes', value: raw };
    }
    if (typeof value === 'number') return this.#number(node, 'double', value);
    if (typeof value === 'bigint') return this.#integer(node, value);
    const duration = this.#hidden.durations.get(node.start);
    if (duration === undefined) return this.#unsigned(node);
    if (duration.ms !== undefined) return { ...span, kind: 'duration', ms: duration.ms };
    return this.#refuse(node, `${this.#textOf(node)} is not a duration`, 'units in order, such as 1h30m');
  }

  #integer(node: ASTNode, value: bigint): Expression {
    const whole = integer(value, intRange);
    if (whole !== undefined) return this.#number(node, 'int', whole);
    return this.#refuse(node, `${this.#textOf(node)} is too large`, 'a whole number of at most 64 bits');
  }

  /** The smallest integer: its digits without the minus are out of range. */
  #smallest(node: ASTNode, of: ASTNode): Expression | undefined {
    return of.op === 'value' && of.args === -intRange.min ? this.#number(node, 'int', intRange.min) : undefined;
  }

  #unsigned(node: ASTNode): Expression {
    const whole = integer(BigInt(this.#textOf(node).slice(0, -1)), uintRange);
    if (whole !== undefined) return this.#number(node, 'uint', whole);
    return this.#refuse(node, `${this.#textOf(node)} is too large`, 'an unsigned number of at most 64 bits');
  }

  #number(node: ASTNode, type: NumberLiteral['type'], value: number | bigint): NumberLiteral {
    const text = this.#textOf(node);
    return { start: node.start, end: node.end, kind: 'number', type, value, text, isHex: /^-?0[xX]/.test(text) };
  }

  #textOf(node: ASTNode): string {
    return this.#text.slice(node.start, node.end);
  }

  /** Reports a mistake, and returns a placeholder so that the rest is still read. */
  #refuse(node: ASTNode, message: string, suggestion: string): Expression {
    const span = { start: node.start, end: node.end };
    this.#report({ ...span, message, suggestion });
    return { ...span, kind: 'null' };
  }
}

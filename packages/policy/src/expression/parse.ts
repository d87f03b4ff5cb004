import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { unreachable } from '@ringfence/contract';
import type { Report } from '../mistake.ts';
import { type DurationLiteral, hideDurations } from './duration-literals.ts';
import type { Expression, NumberLiteral, PathPart } from './node.ts';
import { explainSyntax } from './syntax-mistake.ts';

/** Bounds of one expression, so that reading, checking and running it cost little whatever it says. */
export const expressionBounds = {
  /** A page of text; the longest condition anyone has shown us has 900. */
  lengthChars: 4_000,
  /** Operators, literals and names together. */
  nodes: 500,
  /** Parentheses and calls inside one another; deeper ones are not read by people either. */
  depth: 24,
  /** A literal list in a condition; longer ones belong under `lists:`. */
  listItems: 200,
  arguments: 8,
} as const;

const cel = new Environment({
  enableOptionalTypes: true,
  limits: {
    maxAstNodes: expressionBounds.nodes,
    maxDepth: expressionBounds.depth,
    maxListElements: expressionBounds.listItems,
    maxMapEntries: 1,
    maxCallArguments: expressionBounds.arguments,
  },
});

/**
 * Reads a condition: CEL's grammar, and duration literals such as `15m`.
 *
 * @returns `undefined` when the text is no expression; what is wrong with it was reported
 */
export function parseExpression(text: string, report: Report): Expression | undefined {
  if (text.length > expressionBounds.lengthChars) {
    const message = `the expression has ${text.length} characters`;
    report({ start: 0, end: 1, message, suggestion: `at most ${expressionBounds.lengthChars} characters` });
    return undefined;
  }
  const hidden = hideDurations(text);
  const tree = parseCel(hidden.text, (error) => report(explainSyntax(text, error)));
  if (tree === undefined) return undefined;
  let failed = false;
  const reader = new TreeReader(text, hidden.durations, (mistake) => {
    failed = true;
    report(mistake);
  });
  const expression = reader.read(tree);
  return failed ? undefined : expression;
}

/** The one place where the library's parser runs. It throws on mistakes; anything else that it throws is a bug. */
function parseCel(text: string, onMistake: (error: ParseError) => void): ASTNode | undefined {
  try {
    return cel.parse(text).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    onMistake(error);
    return undefined;
  }
}

/** Turns the library's tree into ours, and refuses what policies leave out of CEL. */
class TreeReader {
  readonly #text: string;
  readonly #durations: ReadonlyMap<number, DurationLiteral>;
  readonly #report: Report;

  constructor(text: string, durations: ReadonlyMap<number, DurationLiteral>, report: Report) {
    this.#text = text;
    this.#durations = durations;
    this.#report = report;
  }

  read(node: ASTNode): Expression {
    const span = { start: node.start, end: node.end };
    switch (node.op) {
      case 'value':
        return this.#literal(node, node.args);
      case 'id':
        return { ...span, kind: 'path', parts: [{ ...span, name: node.args }] };
      case '.':
      case '.?':
        return this.#select(node, node.args);
      case '[]':
      case '[?]':
        return { ...span, kind: 'index', of: this.read(node.args[0]), key: this.read(node.args[1]) };
      case 'call':
        return { ...span, kind: 'call', name: node.args[0], receiver: undefined, args: this.#all(node.args[1]) };
      case 'rcall': {
        const [name, receiver, args] = node.args;
        return { ...span, kind: 'call', name, receiver: this.read(receiver), args: this.#all(args) };
      }
      case 'list':
        return { ...span, kind: 'list', items: this.#all(node.args) };
      case 'map':
        return this.#refuse(node, 'a policy has no map literals', 'compare the members one by one');
      case '?:': {
        const [condition, yes, no] = node.args;
        return { ...span, kind: 'choice', condition: this.read(condition), yes: this.read(yes), no: this.read(no) };
      }
      case '!_':
        return { ...span, kind: 'not', of: this.read(node.args) };
      case '-_':
        return { ...span, kind: 'negate', of: this.read(node.args) };
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

  /** `a.b.c` becomes one path; `f(x).b` is refused, for no function of ours returns something with members. */
  #select(node: ASTNode, [of, name]: readonly [ASTNode, string]): Expression {
    const owner = this.read(of);
    // The library keeps the name's own beginning in `pos`, and the whole chain's in `start`.
    const part: PathPart = { name, start: node.pos, end: node.end };
    if (owner.kind !== 'path')
      return this.#refuse(node, `${name} is not a member of anything`, 'a fact, such as order.amount');
    return { kind: 'path', start: node.start, end: node.end, parts: [...owner.parts, part] };
  }

  #literal(node: ASTNode, value: unknown): Expression {
    const span = { start: node.start, end: node.end };
    if (typeof value === 'string') return { ...span, kind: 'string', value };
    if (typeof value === 'boolean') return { ...span, kind: 'bool', value };
    if (value === null) return { ...span, kind: 'null' };
    if (typeof value === 'bigint' || typeof value === 'number') return this.#number(node, value);
    const duration = this.#durations.get(node.start);
    if (duration !== undefined) {
      if (duration.ms !== undefined) return { ...span, kind: 'duration', ms: duration.ms };
      return this.#refuse(
        node,
        `${this.#text.slice(node.start, node.end)} is not a duration`,
        'units in order, such as 1h30m',
      );
    }
    return this.#refuse(node, 'bytes and unsigned numbers are not used in policies', 'a string or a plain number');
  }

  #number(node: ASTNode, value: bigint | number): NumberLiteral {
    const span = { start: node.start, end: node.end };
    const text = this.#text.slice(node.start, node.end);
    const number = Number(value);
    if (typeof value === 'bigint' && !Number.isSafeInteger(number)) {
      this.#report({ ...span, message: `${text} is too large`, suggestion: 'a whole number of at most 15 digits' });
    }
    return { ...span, kind: 'number', type: typeof value === 'bigint' ? 'int' : 'double', value: number, text };
  }

  /** Reports, and stands in for what was refused so that the rest is still read. */
  #refuse(node: ASTNode, message: string, suggestion: string): Expression {
    const span = { start: node.start, end: node.end };
    this.#report({ ...span, message, suggestion });
    return { ...span, kind: 'null' };
  }
}

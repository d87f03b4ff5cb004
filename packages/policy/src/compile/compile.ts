import { unreachable } from '@ringfence/contract';
import { type Expression, namesIn } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import type { Report } from '../check/mistake.ts';
import { compileArithmetic, compileNegation } from './arithmetic.ts';
import { costMax } from './bounds.ts';
import { compileCall } from './calls.ts';
import { compileComparison } from './comparison.ts';
import { type Bound, type Compiled, constant, type Context, dearText, type Vocabulary } from './compiled.ts';
import { keepValue } from './memoize.ts';
import { compileList } from './lists.ts';
import { compileChoice, compileCondition, compileLogic, compileNot } from './logic.ts';
import { compileMap } from './maps.ts';
import { compileMembership } from './membership.ts';
import { compileIndex, compilePath, compileSelect } from './paths.ts';

/**
 * Checks conditions and compiles them to closures over the facts of one event.
 *
 * A part that occurred before, in this or another condition, reuses the same closure: parts are identified by their
 * canonical text.
 */
export class Compiler {
  readonly #vocabulary: Vocabulary;
  readonly #known = new Map<string, Compiled>();
  /** Texts of parts that check but had warnings. */
  readonly #told = new Set<string>();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Compiles a whole condition. `undefined` if it doesn't check; every mistake in it was reported. */
  condition(node: Expression, report: Report): Compiled | undefined {
    return affordable(node, compileCondition(node, this.#context(report, [])), report);
  }

  /** Compiles an expression of any type. `undefined` if it doesn't check; every mistake in it was reported. */
  value(node: Expression, report: Report): Compiled | undefined {
    return affordable(node, this.#context(report, []).compile(node), report);
  }

  #context(report: Report, scopes: readonly Scope[]): Context {
    const context: Context = {
      vocabulary: this.#vocabulary,
      report,
      locals: new Map(scopes.map(({ name, loop }) => [name, loop.item])),
      compile: (node) => this.#compile(node, { context, scopes, report }),
      bind: (name, loop) => this.#context(report, [...scopes, { name, loop }]),
    };
    return context;
  }

  #compile(node: Expression, { context, scopes, report }: Standing): Compiled | undefined {
    const { length } = scopes;
    const needed = length === 0 ? 0 : scopesOf(node, scopes);
    if (needed === length) return length === 0 ? this.#shared(node, context) : compileNode(node, context);
    // It does not depend on the item of the inner loops: those compute it once.
    const part = this.#context(report, scopes.slice(0, needed)).compile(node);
    return part === undefined || part.constant || part.cost <= cheap ? part : scopes[needed]?.loop.hoist(part);
  }

  #shared(node: Expression, { report }: Context): Compiled | undefined {
    const text = printExpression(node);
    const known = this.#known.get(text);
    if (known !== undefined && !this.#told.has(text)) return known;
    // Its warnings are repeated at each place where it occurs.
    const watching: Report = (mistake) => {
      this.#told.add(text);
      report(mistake);
    };
    const made = compileNode(node, this.#context(watching, []));
    const compiled = made && isKept(node) ? keepValue(made, this.#vocabulary.slotOf) : made;
    if (known === undefined && compiled !== undefined) this.#known.set(text, compiled);
    return known ?? compiled;
  }
}

/** A name that a loop binds, and the loop. */
interface Scope {
  readonly name: string;
  readonly loop: Bound;
}

interface Standing {
  readonly context: Context;
  /** The enclosing loops, outermost first. */
  readonly scopes: readonly Scope[];
  readonly report: Report;
}

/** A part that costs no more than this is cheaper to compute again than to cache. */
const cheap = 3;

/** Whether it is a function of facts alone: live lists are not. */
function isKept(node: Expression): boolean {
  return node.kind === 'call' && !namesIn(node).has('lists');
}

/** How many of the scopes, outermost first, are needed to bind all names that the expression uses. */
function scopesOf(node: Expression, scopes: readonly Scope[]): number {
  const names = namesIn(node);
  return scopes.findLastIndex(({ name }) => names.has(name)) + 1;
}

function affordable(node: Expression, compiled: Compiled | undefined, report: Report): Compiled | undefined {
  if (compiled === undefined || compiled.cost <= costMax) return compiled;
  const { start, end } = node;
  const message = `the condition takes too long to run: up to ${compiled.cost} steps${dearText(compiled)}`;
  report({ start, end, message, suggestion: `at most ${costMax}: fewer patterns, shorter lists` });
  return undefined;
}

function compileNode(node: Expression, context: Context): Compiled | undefined {
  switch (node.kind) {
    case 'number':
      return constant(node.type, node.value, node.type === 'uint' || node.isHex ? {} : { digits: node.text });
    case 'string':
      return constant('string', node.value);
    case 'bool':
      return constant('bool', node.value);
    case 'duration':
      return constant('duration', node.ms);
    case 'bytes':
      return constant('bytes', node.value);
    case 'null':
      return constant('null', null);
    case 'path':
      return compilePath(node, context);
    case 'index':
      return compileIndex(node, context);
    case 'select':
      return compileSelect(node, context);
    case 'list':
      return compileList(node, context);
    case 'map':
      return compileMap(node, context);
    case 'call':
      return compileCall(node, context);
    case 'compare':
      return compileComparison(node, context);
    case 'arithmetic':
      return compileArithmetic(node, context);
    case 'logic':
      return compileLogic(node, context);
    case 'in':
      return compileMembership(node, context);
    case 'not':
      return compileNot(node, context);
    case 'negate':
      return compileNegation(node, context);
    case 'choice':
      return compileChoice(node, context);
    default:
      return unreachable(node);
  }
}
